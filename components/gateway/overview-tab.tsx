'use client';

import { CodeBlock } from '@/components/kit/data/code-block';
import { Id } from '@/components/kit/data/id';
import { PropertyList } from '@/components/kit/data/property-list';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { Graph } from '@/components/kit/graph/graph';
import { Card } from '@/components/kit/ui/card';
import { TextLink } from '@/components/network/text-link';
import { useProject } from '@/lib/client/project';
import { formatCount } from '@/lib/format/quantity';
import { paths } from '@/lib/paths';
import { diagramOf } from './diagram';
import { RolloutCard } from './rollout-card';
import { RouteLink } from './route-columns';
import { TrafficCharts } from './traffic-charts';
import { backendStatus, type Route, targetOf } from './types';
import { useTargetNames } from './use-names';

/** The diagram of a route with its live shares, its rollout, its traffic and its details. */
export function OverviewTab({ route }: { route: Route }) {
  const names = useTargetNames();
  const { nodes, edges } = diagramOf(route);
  return (
    <div className="space-y-5">
      {route.status === 'pending_verification' && route.verification && <Verification route={route} />}
      <Graph label={`Diagram of ${route.name}`} nodes={nodes} edges={edges} />
      {route.rollout && <RolloutCard route={route} rollout={route.rollout} />}
      <TrafficCard route={route} names={names} />
      <TrafficCharts route={route} />
      <Details route={route} />
    </div>
  );
}

function Verification({ route: { host, verification } }: { route: Route }) {
  return (
    <Card
      title={`Prove that ${host} is yours`}
      description="Add this TXT record at your DNS provider. It is looked for every few seconds at first; the route is served once it is there."
    >
      <CodeBlock label="TXT record" code={`${verification?.record}. TXT "${verification?.value}"`} />
    </Card>
  );
}

function TrafficCard({ route, names }: { route: Route; names: ReadonlyMap<string, string> }) {
  return (
    <Card title="Traffic" description="Of the last five minutes.">
      <div className="overflow-x-auto">
        <table className="w-full text-sm">
          <thead>
            <tr className="border-b text-left text-ink-muted text-xs">
              {['Backend', 'Status', 'Weight', 'Requests', 'Share', 'Errors', '99th percentile'].map((title) => (
                <th key={title} scope="col" className="py-2 pr-4 font-medium">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {route.backends.map((backend) => {
              const seen = route.traffic.find((part) => part.backend === backend.name);
              const isSeen = seen !== undefined && seen.requests > 0;
              return (
                <tr key={backend.name} className="border-b last:border-b-0">
                  <th scope="row" className="py-2 pr-4 text-left font-normal">
                    {backend.name}
                    <span className="block min-w-24 text-ink-muted text-xs wrap-anywhere">
                      {targetOf(
                        backend,
                        names.get(backend.instance_id ?? backend.load_balancer_id ?? backend.function_id ?? ''),
                      )}
                    </span>
                  </th>
                  <td className="py-2 pr-4">
                    <StatusBadge status={backendStatus(backend)} reason={backend.status_reason} />
                  </td>
                  <td className="py-2 pr-4 tabular-nums">{backend.weight}%</td>
                  <td className="py-2 pr-4 tabular-nums">{seen?.requests ?? 0}</td>
                  <td className="py-2 pr-4 tabular-nums">{isSeen ? `${seen.share_percent.toFixed(1)}%` : '–'}</td>
                  <td className="py-2 pr-4 tabular-nums">{isSeen ? `${seen.errors_percent.toFixed(1)}%` : '–'}</td>
                  <td className="py-2 pr-4 tabular-nums">
                    {isSeen && seen.p99_ms !== null ? `${seen.p99_ms} ms` : '–'}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

function Details({ route }: { route: Route }) {
  const { project } = useProject();
  const { id, url, sticky, strip_prefix, request_timeout_s, tls_certificate_id, created_at, updated_at } = route;
  return (
    <Card title="Details">
      <PropertyList
        items={[
          ['Address', <RouteLink key="url" url={url} />],
          [
            'Certificate',
            tls_certificate_id === null ? (
              'None'
            ) : (
              <TextLink key="certificate" href={paths.certificate(project.slug, tls_certificate_id)}>
                Certificate of the host
              </TextLink>
            ),
          ],
          ['Backends see', strip_prefix ? 'The path without its prefix' : 'The whole path'],
          ['Sticky sessions', sticky ? 'By a cookie' : 'No'],
          ['Request timeout', formatCount(request_timeout_s ?? 60, 'second')],
          ['ID', <Id key="id" value={id} label="route ID" full />],
          ['Created', <Time key="created" at={created_at} form="exact" />],
          ['Changed', <Time key="updated" at={updated_at} form="exact" />],
        ]}
      />
    </Card>
  );
}
