'use client';

import { createContext, type ReactNode, use } from 'react';
import { ApiScope, useApi } from './scope';

/** What a person may do in a project; each role includes those before it. */
export type Role = 'reader' | 'member' | 'admin';

/** The project that a page shows, and what its reader may do there. */
export interface Project {
  id: string;
  slug: string;
  name: string;
  role: Role;
  status: 'active' | 'suspended';
}

const ProjectContext = createContext<Project | undefined>(undefined);

/** The project of this page and its API client. The project is part of the page's address, so two tabs may differ. */
export function useProject() {
  const project = use(ProjectContext);
  if (!project) throw new Error('useProject is for pages below /projects/…');
  return { project, ...useApi() };
}

/** The project of this page; none in the back office. */
export function useProjectIfAny(): Project | undefined {
  return use(ProjectContext);
}

/** Gives the pages below it one project. */
export function ProjectScope({ project, children }: { project: Project; children: ReactNode }) {
  return (
    <ProjectContext value={project}>
      <ApiScope realm={{ kind: 'project', id: project.id }}>{children}</ApiScope>
    </ProjectContext>
  );
}
