'use client';

import { Package } from 'lucide-react';
import { ProgramList } from '@/components/backoffice/programs';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { Card } from '@/components/kit/ui/card';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useBackOffice } from '@/lib/client/backoffice';

/** The programs that services run, and whether the host has them. */
export default function ProgramsPage() {
  const { api } = useBackOffice();
  const query = api.useQuery('get', '/admin/api/v1/programs');
  return (
    <Page
      title="Programs"
      description="Server programs that services run. Each is fetched once, verified, and kept beside the data."
    >
      <Loaded query={query} what="The programs" skeleton={<Skeleton className="h-40 w-full" />}>
        {(programs) =>
          programs.length === 0 ? (
            <div className="rounded-lg border border-dashed bg-surface">
              <EmptyState icon={Package} title="No programs">
                No domain of this platform runs services.
              </EmptyState>
            </div>
          ) : (
            <Card title="Programs of this host" flush>
              <ProgramList programs={programs} />
            </Card>
          )
        }
      </Loaded>
    </Page>
  );
}
