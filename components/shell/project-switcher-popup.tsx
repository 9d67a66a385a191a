'use client';

import { Check, MailOpen } from 'lucide-react';
import Link from 'next/link';
import { type ReactElement, useState } from 'react';
import { useInvitations } from '@/components/invitations/use-invitations';
import { Avatar } from '@/components/kit/ui/avatar';
import { Input } from '@/components/kit/ui/input';
import { Popover, PopoverContent, PopoverTrigger } from '@/components/kit/ui/popover';
import { formatCount } from '@/lib/format/quantity';
import { paths } from '@/lib/paths';
import type { ProjectSwitcherProps } from './project-switcher';

/** From how many projects on a search field helps. */
const MANY = 8;

/** The opened list of projects. */
export function ProjectSwitcherPopup(props: ProjectSwitcherProps & { trigger: ReactElement }) {
  const { trigger, project, projects } = props;
  const [open, setOpen] = useState(true);
  const [search, setSearch] = useState('');
  const invitations = useInvitations() ?? [];
  const word = search.trim().toLowerCase();
  const found = projects.filter(({ name, slug }) => name.toLowerCase().includes(word) || slug.includes(word));
  return (
    <Popover
      open={open}
      onOpenChange={(next) => {
        setOpen(next);
        setSearch('');
      }}
    >
      <PopoverTrigger asChild>{trigger}</PopoverTrigger>
      <PopoverContent className="w-(--radix-popover-trigger-width) min-w-56 p-1" aria-label="Projects">
        {projects.length >= MANY && (
          <div className="p-1">
            <Input
              type="search"
              aria-label="Search projects"
              placeholder="Search projects"
              value={search}
              onChange={(event) => setSearch(event.target.value)}
            />
          </div>
        )}
        <ul className="max-h-72 overflow-y-auto">
          {found.map((other) => (
            <li key={other.id}>
              <Link
                href={paths.overview(other.slug)}
                aria-current={other.id === project.id ? 'true' : undefined}
                onClick={() => setOpen(false)}
                className="floating-item hover:bg-hover focus-visible:bg-hover"
              >
                <Avatar name={other.name} square />
                <span className="min-w-0 flex-1 truncate">{other.name}</span>
                {other.id === project.id && <Check className="text-accent" aria-hidden="true" />}
              </Link>
            </li>
          ))}
          {found.length === 0 && <li className="px-2 py-3 text-center text-ink-muted text-sm">No project matches</li>}
        </ul>
        {invitations.length > 0 && (
          <div className="-mx-1 mt-1 border-t px-1 pt-1">
            <Link
              href={paths.overview(project.slug)}
              onClick={() => setOpen(false)}
              className="floating-item hover:bg-hover focus-visible:bg-hover"
            >
              <MailOpen className="mx-1 text-accent" aria-hidden="true" />
              {formatCount(invitations.length, 'invitation')}
            </Link>
          </div>
        )}
      </PopoverContent>
    </Popover>
  );
}
