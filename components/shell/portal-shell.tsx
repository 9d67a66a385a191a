'use client';

import { Bell, UserCog } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { NotificationBell } from '@/components/notifications/notification-bell';
import { FrozenBanner } from '@/components/pricing/frozen-banner';
import { FreezeScope } from '@/lib/client/freeze';
import { type Project, ProjectScope } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { PageGate, SuspendedBanner } from './page-gate';
import { portalNavigation } from './portal-navigation';
import { ProjectSwitcher } from './project-switcher';
import { Shell } from './shell';
import { type Person, UserMenu } from './user-menu';
import { visibleTo } from './visible';

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
  const links = useMemo(
    () => [
      { label: 'Profile and security', href: paths.account(project.slug), icon: UserCog },
      { label: 'Notifications', href: paths.notifications(project.slug), icon: Bell },
    ],
    [project.slug],
  );
  const commands = useMemo(
    () => ({ groups, project, projects, own: { links, onSignOut } }),
    [groups, project, projects, links, onSignOut],
  );
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
            <UserMenu person={person} links={links} onSignOut={onSignOut} />
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
