'use client';

import { Page } from '@/components/kit/page/page';
import { Dashboard } from '@/components/observability/dashboard';

/** The project at a glance. */
export default function DashboardsPage() {
  return (
    <Page full title="Dashboards" description="What the project has, uses and logs, and what needs attention.">
      <Dashboard />
    </Page>
  );
}
