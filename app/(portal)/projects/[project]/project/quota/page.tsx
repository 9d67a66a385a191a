'use client';

import { Page } from '@/components/kit/page/page';
import { QuotaOverview } from '@/components/overview/quota-overview';

/** The hard limits of the project. */
export default function QuotaPage() {
  return (
    <Page
      title="Quota"
      description="What would pass a limit is refused, however many requests arrive at once. Deleting resources makes room at once."
    >
      <QuotaOverview title="Limits" />
    </Page>
  );
}
