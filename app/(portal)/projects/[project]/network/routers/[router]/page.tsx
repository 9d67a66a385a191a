'use client';

import { useParams } from 'next/navigation';
import { activityTab } from '@/components/audit/activity-tab';
import { Id } from '@/components/kit/data/id';
import { PropertyList } from '@/components/kit/data/property-list';
import { Time } from '@/components/kit/data/time';
import { ResourcePage } from '@/components/kit/resource/resource-page';
import { Card } from '@/components/kit/ui/card';
import { routers } from '@/components/network/domain';
import { TextLink } from '@/components/network/text-link';
import type { Router } from '@/components/network/types';
import { getRouter } from '@/lib/client/operations/network';
import { useProject } from '@/lib/client/project';
import { formatNumber } from '@/lib/format/number';
import { paths } from '@/lib/paths';

/** One router: its external address, and its address on each network. */
export default function RouterPage() {
  const { router: id } = useParams<{ router: string }>();
  const { api } = useProject();
  const query = api.useQuery('get', '/api/v1/network/routers/{id}', { params: { path: { id } } });
  return (
    <ResourcePage
      of={routers}
      query={query}
      get={getRouter}
      title={({ name }) => `Router ${name}`}
      facts={({ external_ip, interfaces }) => [
        ['External IP', external_ip ?? 'Not assigned yet'],
        ['Networks', formatNumber(interfaces.length)],
      ]}
      tabs={(router) => [
        {
          name: 'overview',
          label: 'Overview',
          content: () => (
            <div className="grid items-start gap-5 *:min-w-0 lg:grid-cols-2">
              <Details router={router} />
              <Interfaces router={router} />
            </div>
          ),
        },
        activityTab(id),
      ]}
    />
  );
}

function Details({ router: { id, external_ip, created_at } }: { router: Router }) {
  return (
    <Card title="Details">
      <PropertyList
        items={[
          [
            'External IP',
            external_ip ? <Id key="external" value={external_ip} label="address" full /> : 'Not assigned yet',
          ],
          ['ID', <Id key="id" value={id} label="router ID" full />],
          ['Created', <Time key="created" at={created_at} form="exact" />],
        ]}
      />
    </Card>
  );
}

function Interfaces({ router: { interfaces } }: { router: Router }) {
  const { project } = useProject();
  return (
    <Card title="Gateway interfaces" description="The router’s address on each network." flush>
      {interfaces.length === 0 ? (
        <p className="px-4 py-5 text-ink-muted text-sm">No networks.</p>
      ) : (
        <ul aria-label="Gateway interfaces" className="divide-y text-sm">
          {interfaces.map(({ network_id, network_name, cidr, ip }) => (
            <li key={network_id} className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 px-4 py-2.5">
              <span className="min-w-0 flex-1">
                <TextLink href={paths.network(project.slug, network_id)} strong>
                  {network_name}
                </TextLink>
              </span>
              <span className="font-mono text-ink-muted text-xs">{cidr}</span>
              <span className="w-28 text-right font-mono text-xs">{ip}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
