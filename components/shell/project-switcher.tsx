'use client';

import { ChevronsUpDown } from 'lucide-react';
import { Avatar } from '@/components/ui/avatar';
import { deferred } from '@/components/ui/deferred';
import type { Project } from '@/lib/client/project';

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
  const trigger = (
    <button
      type="button"
      aria-label={`Project ${name}. Switch project`}
      className="flex h-11 w-full items-center gap-2.5 rounded-md border bg-surface px-2 text-left shadow-control transition-colors duration-100 hover:border-line-strong"
    >
      <Avatar name={name} square className="size-7" />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium text-sm leading-4">{name}</span>
        <span className="block truncate text-2xs text-ink-subtle capitalize leading-4">{role}</span>
      </span>
      <ChevronsUpDown className="size-4 shrink-0 text-ink-subtle" aria-hidden="true" />
    </button>
  );
  return <ProjectSwitcherPopup {...props} trigger={trigger} />;
}
