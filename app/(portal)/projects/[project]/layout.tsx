import { headers } from 'next/headers';
import { notFound, redirect } from 'next/navigation';
import type { ReactNode } from 'react';
import { ProjectShell } from '@/components/identity/project-shell';
import { mustChangePassword } from '@/lib/core/api/caller';
import { paths } from '@/lib/paths';
import { membershipsOf } from '@/lib/people/identity/own-account';
import { currentPerson } from '@/lib/people/identity/page-session';

interface ProjectLayoutProps {
  params: Promise<{ project: string }>;
  children: ReactNode;
}

/** Every page of a project: for its members; whoever is not signed in goes there first and comes back. */
export default async function ProjectLayout({ params, children }: ProjectLayoutProps) {
  const person = await currentPerson();
  const page = (await headers()).get('x-page') ?? undefined;
  if (!person) redirect(paths.signIn(page));
  if (mustChangePassword(person)) redirect(paths.initialPassword(page));
  const { project: slug } = await params;
  const memberships = await membershipsOf(person.user_id);
  const projects = memberships
    .filter(({ status }) => status === 'active')
    .map(({ project_id, project_slug, project_name, project_status, role }) => ({
      id: project_id,
      slug: project_slug,
      name: project_name,
      role,
      status: project_status,
    }));
  const project = projects.find((candidate) => candidate.slug === decodeURIComponent(slug));
  if (!project) notFound();
  return (
    <ProjectShell person={{ name: person.name, email: person.email }} project={project} projects={projects}>
      {children}
    </ProjectShell>
  );
}
