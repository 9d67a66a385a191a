'use client';

import { Check, ChevronsUpDown } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';
import { Avatar } from '@/components/ui/avatar';
import { Input } from '@/components/ui/input';
import { Popover, PopoverContent, PopoverTrigger } from '@/components/ui/popover';
import type { Project } from '@/lib/client/project';
import { paths } from '@/lib/paths';

/** From how many projects on a search field helps. */
const MANY = 8;

/** Which project the pages show, and the way to the others. */
export function ProjectSwitcher({ project, projects }: { project: Project; projects: readonly Project[] }) {
  const [open, setOpen] = useState(false);
  const [search, setSearch] = useState('');
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
      <PopoverTrigger
        aria-label={`Project ${project.name}. Switch project`}
        className="flex h-11 w-full items-center gap-2.5 rounded-md border bg-surface px-2 text-left shadow-control transition-colors duration-100 hover:border-line-strong"
      >
        <Avatar name={project.name} square className="size-7" />
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium text-sm leading-4">{project.name}</span>
          <span className="block truncate text-2xs text-ink-subtle capitalize leading-4">{project.role}</span>
        </span>
        <ChevronsUpDown className="size-4 shrink-0 text-ink-subtle" aria-hidden="true" />
      </PopoverTrigger>
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
      </PopoverContent>
    </Popover>
  );
}
