'use client';

import { PlatformOverview } from '@/components/backoffice/platform-overview';
import { Page } from '@/components/kit/page/page';

/** The home of the back office: how much, how full, and what is wrong. */
export default function BackOfficePage() {
  return (
    <Page title="Overview" description="Tenants, capacity and issues of the platform.">
      <PlatformOverview />
    </Page>
  );
}
