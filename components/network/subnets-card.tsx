import { Card } from '@/components/kit/ui/card';
import type { Network } from './types';

/** The ranges of a network, and what guests are told on them. */
export function SubnetsCard({ subnets }: Pick<Network, 'subnets'>) {
  return (
    <Card title="Subnets" flush>
      <div className="overflow-x-auto">
        <table className="w-full text-sm">
          <caption className="sr-only">Subnets</caption>
          <thead>
            <tr className="[&>th]:h-9 [&>th]:whitespace-nowrap [&>th]:border-b [&>th]:bg-sunken [&>th]:px-4 [&>th]:text-left [&>th]:font-medium [&>th]:text-ink-muted [&>th]:text-xs">
              <th scope="col">IP range</th>
              <th scope="col">Gateway</th>
              <th scope="col">DHCP</th>
              <th scope="col">DNS servers</th>
            </tr>
          </thead>
          <tbody>
            {subnets.map(({ id, cidr, gateway_ip, dhcp_enabled, dns_servers }) => (
              <tr key={id} className="[&>td]:h-11 [&>td]:px-4 [&>td]:py-1.5 [&:not(:last-child)>td]:border-b">
                <td className="whitespace-nowrap font-mono text-xs">{cidr}</td>
                <td className="font-mono text-xs">{gateway_ip}</td>
                <td>{dhcp_enabled ? 'On' : 'Off'}</td>
                <td>
                  {dns_servers.length > 0 ? (
                    <span className="font-mono text-xs">{dns_servers.join(', ')}</span>
                  ) : (
                    <span className="text-ink-muted">Platform resolver at the gateway</span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
