'use client';

import { createContext, type ReactNode, use } from 'react';
import { ApiScope, useApi } from './scope';

/** A role in a project; each includes the ones before it. */
export type Role = 'reader' | 'member' | 'admin';

/** The project of a page, and the person's role in it. */
export interface Project {
  id: string;
  slug: string;
  name: string;
  role: Role;
  /** The API of a suspended project refuses everything until a platform administrator resumes it. */
  status: 'active' | 'suspended';
}

const ProjectContext = createContext<Project | undefined>(undefined);
const none: readonly Project[] = [];
const ProjectsContext = createContext(none);

/** The project of this page and its API client. The page's address includes the project, so two tabs can differ. */
export function useProject() {
  const project = use(ProjectContext);
  if (!project) throw new Error('useProject is for pages below /projects/…');
  return { project, ...useApi() };
}

/** The project of this page; none in the back office. */
export function useProjectIfAny(): Project | undefined {
  return use(ProjectContext);
}

/** All projects of the person; none in the back office. */
export function useProjects(): readonly Project[] {
  return use(ProjectsContext);
}

interface ProjectScopeProps {
  project: Project;
  /** All projects of the person, where more than this one matter. */
  projects?: readonly Project[];
  children: ReactNode;
}

/** Provides a project to the pages below it. */
export function ProjectScope({ project, projects = none, children }: ProjectScopeProps) {
  return (
    <ProjectContext value={project}>
      <ProjectsContext value={projects}>
        <ApiScope realm={{ kind: 'project', id: project.id, suspended: project.status === 'suspended' }}>
          {children}
        </ApiScope>
      </ProjectsContext>
    </ProjectContext>
  );
}
