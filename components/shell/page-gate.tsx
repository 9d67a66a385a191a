'use client';

import { usePathname } from 'next/navigation';
import type { ReactNode } from 'react';
import { findPlace } from '@/components/kit/page/navigation';
import { isOpenTo } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { portalNavigation } from './portal-navigation';

/** The page, unless the API would refuse to read it: every refusal is recorded in the audit log. */
export function PageGate({ children }: { children: ReactNode }) {
  const { project } = useProject();
  const pathname = usePathname();
  const operation = findPlace(portalNavigation, project.slug, pathname)?.page.operation;
  if (operation && !isOpenTo(operation, project.role)) {
    return (
      <NotAvailable title="Not available">
        Your role, {project.role}, cannot read this page. Ask a project admin for another role.
      </NotAvailable>
    );
  }
  return children;
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
