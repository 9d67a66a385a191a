'use client';

import { BillingDetailsForm } from '@/components/billing/billing-details-form';
import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';

/** The addressee of the project's invoices. */
export default function BillingDetailsPage() {
  const { api } = useProject();
  const query = api.useQuery('get', '/api/v1/billing/details');
  return (
    <Page
      title="Billing details"
      description="Printed on every invoice that is closed from now on. Earlier invoices do not change."
    >
      <Loaded
        query={query}
        what="The billing details"
        skeleton={<Skeleton className="h-120 w-full max-w-2xl rounded-lg" />}
      >
        {(details) => <BillingDetailsForm details={details} />}
      </Loaded>
    </Page>
  );
}
