'use client';

import { UserCog } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { NotificationBell } from '@/components/notifications/notification-bell';
import { FrozenBanner } from '@/components/pricing/frozen-banner';
import { FreezeScope } from '@/lib/client/freeze';
import { type Project, ProjectScope } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { portalCommands, visibleTo } from './commands';
import { PageGate, SuspendedBanner } from './page-gate';
import { portalNavigation } from './portal-navigation';
import { ProjectSwitcher } from './project-switcher';
import { Shell } from './shell';
import { type Person, UserMenu } from './user-menu';

interface PortalShellProps {
  person: Person;
  project: Project;
  /** All projects of the person, this one included. */
  projects: readonly Project[];
  onSignOut: () => void;
  children: ReactNode;
}

/** The portal around the pages of one project. */
export function PortalShell({ person, project, projects, onSignOut, children }: PortalShellProps) {
  const groups = useMemo(() => visibleTo(project.role, portalNavigation), [project.role]);
  const commands = useMemo(() => portalCommands(groups, project, projects), [groups, project, projects]);
  return (
    <ProjectScope project={project} projects={projects}>
      <Shell
        realm="portal"
        groups={groups}
        project={project.slug}
        home={paths.overview(project.slug)}
        commands={commands}
        sidebarHead={<ProjectSwitcher project={project} projects={projects} />}
        userMenu={
          <>
            <NotificationBell />
            <UserMenu
              person={person}
              links={[{ label: 'Profile and security', href: paths.account(project.slug), icon: UserCog }]}
              onSignOut={onSignOut}
            />
          </>
        }
      >
        <SuspendedBanner />
        <FrozenBanner />
        <FreezeScope>
          <PageGate>{children}</PageGate>
        </FreezeScope>
      </Shell>
    </ProjectScope>
  );
}
