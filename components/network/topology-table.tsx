'use client';

import { Id } from '@/components/kit/data/id';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { FloatingAddress, Holder } from './ports-table';
import { TextLink } from './text-link';
import type { TopologyData } from './use-topology';

/** The picture's facts as a table: the same things, in the same order. */
export function TopologyTable({ data }: { data: TopologyData }) {
  const { project } = useProject();
  const { topology, routers, networks, ports, instances, floatingIps } = data;
  const free = [...floatingIps.values()].filter(({ port_id }) => port_id === null);
  return (
    <div className="space-y-4">
      <div className="overflow-x-auto rounded-lg border bg-surface">
        <table className="w-full text-sm">
          <caption className="sr-only">Network topology</caption>
          <thead>
            <tr className="[&>th]:h-9 [&>th]:whitespace-nowrap [&>th]:border-b [&>th]:bg-sunken [&>th]:px-4 [&>th]:text-left [&>th]:font-medium [&>th]:text-ink-muted [&>th]:text-xs">
              <th scope="col">Router</th>
              <th scope="col">Network</th>
              <th scope="col">Gateway</th>
              <th scope="col">Instance</th>
              <th scope="col">Status</th>
              <th scope="col">IP address</th>
              <th scope="col">Floating IP</th>
            </tr>
          </thead>
          <tbody className="[&>tr:not(:last-child)>td]:border-b [&>tr>td]:h-11 [&>tr>td]:px-4">
            {topology.routers.flatMap((router) =>
              router.networks.flatMap(({ id, ports: shown }) => {
                const network = networks.get(id);
                const before = (
                  <>
                    <td>
                      <TextLink href={paths.router(project.slug, router.id)}>{routers.get(router.id)?.name}</TextLink>
                    </td>
                    <td>
                      <TextLink href={paths.network(project.slug, id)} strong>
                        {network?.name}
                      </TextLink>{' '}
                      <span className="whitespace-nowrap font-mono text-ink-muted text-xs">{network?.cidr}</span>
                    </td>
                    <td className="font-mono text-xs">{network?.gateway_ip}</td>
                  </>
                );
                if (shown.length === 0) {
                  return (
                    <tr key={id}>
                      {before}
                      <td colSpan={4} className="text-ink-muted">
                        No instances
                      </td>
                    </tr>
                  );
                }
                return shown.map(({ id: portId }) => {
                  const port = ports.get(portId);
                  if (!port) return null;
                  return (
                    <tr key={portId}>
                      {before}
                      <td>
                        <Holder id={portId} port={port} />
                      </td>
                      <td>
                        <StatusBadge status={instances.get(port.instance_id ?? '')?.status ?? port.status} />
                      </td>
                      <td>
                        <Id value={port.ip} label="address" full />
                      </td>
                      <td>
                        <FloatingAddress address={port.floating_ip} />
                      </td>
                    </tr>
                  );
                });
              }),
            )}
          </tbody>
        </table>
      </div>
      {free.length > 0 && (
        <p className="text-ink-muted text-sm">
          Floating IPs not associated: {free.map(({ address }) => address).join(', ')}
        </p>
      )}
    </div>
  );
}
