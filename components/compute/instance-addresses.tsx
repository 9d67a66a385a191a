import type { Instance } from './instance-actions';

/** Where an instance answers: its address in its network, and the floating one that leads there. */
export function InstanceAddresses({ addresses }: Pick<Instance, 'addresses'>) {
  if (addresses.length === 0) return <span className="text-ink-subtle">–</span>;
  return (
    <span className="flex flex-col font-mono text-xs">
      {addresses.map(({ port_id, ip, floating_ip }) => (
        <span key={port_id} className="whitespace-nowrap">
          {ip}
          {floating_ip && <span className="text-ink-muted"> · {floating_ip}</span>}
        </span>
      ))}
    </span>
  );
}
