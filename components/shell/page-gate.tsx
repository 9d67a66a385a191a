'use client';

import { Ban } from 'lucide-react';
import { usePathname } from 'next/navigation';
import { type ReactNode, useEffect, useState } from 'react';
import { findPlace } from '@/components/kit/page/navigation';
import { ProjectBanner } from '@/components/kit/page/project-banner';
import { isOpenTo, SUSPENDED } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { portalNavigation } from './portal-navigation';

/** Banner on every page of a suspended project: the effects on its users and resources. */
export function SuspendedBanner() {
  const suspended = useProject().project.status === 'suspended';
  return (
    <ProjectBanner label="Suspension" icon={Ban} title="This project is suspended">
      {suspended &&
        'Nothing can be viewed or changed, and instances are stopped. Data is kept and billed. Contact your platform administrator.'}
    </ProjectBanner>
  );
}

/**
 * The page, unless the API would refuse to read it: every refusal is recorded in the audit log. In a suspended project,
 * the page that was open stays readable with its controls disabled, other pages show the reason, and the person's own
 * account works.
 */
export function PageGate({ children }: { children: ReactNode }) {
  const { project } = useProject();
  const suspended = project.status === 'suspended';
  const pathname = usePathname();
  const [openBefore, setOpenBefore] = useState<string>();
  useEffect(() => {
    if (!suspended) setOpenBefore(pathname);
  }, [suspended, pathname]);

  const usable = !suspended || pathname === paths.account(project.slug);
  if (!usable && pathname !== openBefore) {
    return (
      <NotAvailable title="Project suspended">{SUSPENDED} The page opens when the project is resumed.</NotAvailable>
    );
  }
  const operation = findPlace(portalNavigation, project.slug, pathname)?.page.operation;
  if (operation && !isOpenTo(operation, project.role)) {
    return (
      <NotAvailable title="Not available">
        Your role, {project.role}, cannot read this page. Ask a project admin for another role.
      </NotAvailable>
    );
  }
  return (
    <fieldset
      disabled={!usable}
      title={usable ? undefined : SUSPENDED}
      role={usable ? 'presentation' : undefined}
      className="min-w-0"
    >
      {children}
    </fieldset>
  );
}

function NotAvailable({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="mx-auto max-w-lg px-4 pt-16 sm:px-6">
      <title>{`${title} · Nephele`}</title>
      <h1 id="page-title" tabIndex={-1} className="font-semibold text-xl tracking-[-0.017em]">
        This page is not available
      </h1>
      <p className="mt-1.5 text-pretty text-ink-muted text-sm">{children}</p>
    </div>
  );
}
