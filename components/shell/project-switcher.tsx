'use client';

import { ChevronsUpDown } from 'lucide-react';
import { useInvitations } from '@/components/invitations/use-invitations';
import { Avatar } from '@/components/kit/ui/avatar';
import { deferred } from '@/components/kit/ui/deferred';
import type { Project } from '@/lib/client/project';
import { formatCount } from '@/lib/format/quantity';

export interface ProjectSwitcherProps {
  project: Project;
  /** All projects of the person, this one included. */
  projects: readonly Project[];
}

const ProjectSwitcherPopup = deferred<ProjectSwitcherProps>('dialog', () =>
  import('./project-switcher-popup').then((module) => module.ProjectSwitcherPopup),
);

/** Which project the pages show, and the way to the others. */
export function ProjectSwitcher(props: ProjectSwitcherProps) {
  const { name, role } = props.project;
  const invitations = useInvitations()?.length ?? 0;
  const trigger = (
    <button
      type="button"
      className="flex h-11 w-full items-center gap-2.5 rounded-md border bg-surface px-2 text-left shadow-control transition-colors duration-100 hover:border-line-strong"
    >
      <span className="relative">
        <Avatar name={name} square className="size-7" />
        {invitations > 0 && (
          <span className="absolute -top-1 -right-1 size-2.5 rounded-full border-2 border-surface bg-accent" />
        )}
      </span>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium text-sm leading-4">{name}</span>
        <span className="block truncate text-2xs text-ink-subtle capitalize leading-4">{role}</span>
      </span>
      <span className="sr-only">Switch project{invitations > 0 && `, ${formatCount(invitations, 'invitation')}`}</span>
      <ChevronsUpDown className="size-4 shrink-0 text-ink-subtle" aria-hidden="true" />
    </button>
  );
  return <ProjectSwitcherPopup {...props} trigger={trigger} />;
}
