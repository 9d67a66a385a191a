'use client';

import { PlatformOverview } from '@/components/backoffice/platform-overview';
import { Page } from '@/components/page/page';

/** The home of the back office: how much, how full, and what is wrong. */
export default function BackOfficePage() {
  return (
    <Page title="Overview" description="The whole platform: who is on it, how full it is, and what needs you.">
      <PlatformOverview />
    </Page>
  );
}
