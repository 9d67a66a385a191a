import { networkInterfaces } from 'node:os';
import type { Host } from '../host';
import type { AddressPlan } from './address-plan';

/** Never reachable from a guest, whatever the operator opens: this host, link-local (metadata), multicast, reserved. */
const ALWAYS = ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '240.0.0.0/4'];

/** The private side of the world around the host, closed until the operator opens parts of it. */
const PRIVATE = ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15'];

/** What guests may reach outside: first what is never open, then what is open, then what is closed; the rest is open. */
export type ClosedRanges = { never: string[]; open: string[]; closed: string[] };

export function closedRanges(host: Host, plan: AddressPlan): ClosedRanges {
  const pool = host.isolation === 'root' ? [plan.pool] : [];
  return {
    never: [...ALWAYS, plan.segment, ...hostAddresses()],
    open: [...pool, ...host.openPrivateCidrs],
    closed: PRIVATE,
  };
}

/** Every IPv4 address of this host but loopback, which is closed as a whole. */
function hostAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return [
    ...new Set(all.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address)),
  ].sort();
}
