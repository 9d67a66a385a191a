'use client';

import { QuotaBar } from '@/components/kit/data/quota-bar';
import { Loaded } from '@/components/kit/page/loaded';
import { Card } from '@/components/kit/ui/card';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';

/** The nine dimensions in the order of the quota record, as people call them. */
const dimensions = [
  ['vcpus', 'vCPUs'],
  ['ram_gb', 'Memory'],
  ['storage_tb', 'Block storage'],
  ['instances', 'Instances'],
  ['volumes', 'Volumes'],
  ['databases', 'Databases'],
  ['serverless_functions', 'Functions'],
  ['airflow_dags', 'Workflow DAGs'],
  ['api_gateways', 'Gateway routes'],
] as const;

/** The project's hard limits and what is used of each, every bar in its own unit. */
export function QuotaOverview({ title = 'Quota' }: { title?: string }) {
  const { api } = useProject();
  const quota = api.useQuery('get', '/api/v1/tenant/quota');
  return (
    <Card title={title} description="Hard limits of this project. Platform administrators can raise them.">
      <div className="min-h-52">
        <Loaded query={quota} what="The quota" skeleton={<Outline />}>
          {(data) => (
            <div className="grid gap-x-10 gap-y-6 sm:grid-cols-2 xl:grid-cols-3">
              {dimensions.map(([name, label]) => (
                <QuotaBar key={name} label={label} {...data[name]} />
              ))}
            </div>
          )}
        </Loaded>
      </div>
    </Card>
  );
}

function Outline() {
  return (
    <div className="grid gap-x-10 gap-y-6 sm:grid-cols-2 xl:grid-cols-3">
      {dimensions.map(([name]) => (
        <div key={name} className="space-y-2">
          <Skeleton className="h-4 w-2/3" />
          <Skeleton className="h-1.5 w-full" />
          <Skeleton className="h-3 w-1/3" />
        </div>
      ))}
    </div>
  );
}
