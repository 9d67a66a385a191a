import type { ProjectCall } from '@/lib/core/api/endpoint';
import { ApiError, invalid, noSuch } from '@/lib/core/api/errors';
import { isId, newId } from '@/lib/core/db/id';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { findCertificates } from '@/lib/domains/certificates/uses';
import { instancesAmong } from '@/lib/domains/compute/fragments';
import { joinPorts } from '@/lib/domains/network/fragments';
import { type AddressRange, rangeOf, toNumber } from '@/lib/domains/network/ipv4';
import { addressedNetworks } from '@/lib/domains/network/ports';
import type { BalancerFacts } from './configuration';
import { slotsFor } from './configuration';
import { certificatesOf, type NewListener, type NewMember } from './schema';

/** A listener, its pool and its members as rows. */
export type PlannedListener = {
  listener: {
    id: string;
    name: string;
    protocol: NewListener['protocol'];
    port: number;
    redirect_to_https: boolean;
    allowed_cidrs: string[];
    certificate_ids: string[];
  };
  pool: {
    id: string;
    name: string;
    algorithm: NewListener['pool']['algorithm'];
    sticky: 'cookie' | 'source_ip' | null;
    health_check: NonNullable<NewListener['pool']['health_check']> | null;
    slots: number;
  };
  members: PlannedMember[];
};
type PlannedMember = {
  id: string;
  name: string;
  instance_id: string | null;
  address: string;
  port: number;
  weight: number;
  backup: boolean;
  slot: number;
};

/** The rows of a load balancer before a change: what stays keeps its ids and its slots. */
export type PresentListener = {
  id: string;
  port: number;
  pool: { id: string; slots: number };
  members: { id: string; address: string; port: number; slot: number }[];
};

export type PlannedNetwork = { id: string; cidr: string; gateway_ip: string };

/**
 * The network of a new load balancer; the only one of the project if none is named.
 * @throws ApiError 404, 400 that lists the networks
 */
export async function requireNetwork(call: ProjectCall, id: string | undefined): Promise<PlannedNetwork> {
  const networks = await addressedNetworks(call);
  const [first] = networks;
  if (id === undefined && first && networks.length === 1) return first;
  if (id === undefined) {
    const list = networks.map((network) => `${network.name} (${network.id})`).join(', ');
    throw invalid(`network_id: name one of the project’s networks: ${list}.`);
  }
  const found = networks.find((network) => network.id === id.toLowerCase());
  if (!found) throw noSuch('network_id', 'network');
  return found;
}

/** @throws ApiError 404 for instances and certificates, 400 for members outside the network or named twice */
export async function planListeners(
  call: ProjectCall,
  network: PlannedNetwork,
  listeners: readonly NewListener[],
  present: readonly PresentListener[] = [],
): Promise<PlannedListener[]> {
  await requireCertificates(call, listeners);
  const addresses = await addressesOfInstances(call, network.id, listeners);
  return listeners.map((wanted, index) => {
    const before = present.find(({ port }) => port === wanted.port);
    const members = wanted.pool.members.map((member, position) =>
      addressed(member, `listeners.${index}.pool.members.${position}`, rangeOf(network.cidr), addresses),
    );
    const keys = members.map(keyOf);
    const twice = keys.findIndex((key, position) => keys.indexOf(key) !== position);
    if (twice !== -1) throw invalid(`listeners.${index}.pool.members.${twice}: ${keys[twice]} is a member already.`);
    return planned(wanted, members, before);
  });
}

/** @throws ApiError 404 for certificates of others, 400 for those not issued yet */
async function requireCertificates(call: ProjectCall, listeners: readonly NewListener[]): Promise<void> {
  const ids = listeners.flatMap(certificatesOf);
  if (ids.length === 0) return;
  const found = new Map((await findCertificates(call.project_id, ids)).map((one) => [one.id, one]));
  for (const [index, listener] of listeners.entries()) {
    const field = `listeners.${index}.certificate_ids`;
    for (const id of certificatesOf(listener)) {
      const certificate = found.get(id);
      if (!certificate) throw noSuch(field, 'certificate');
      if (!certificate.is_issued) throw invalid(`${field}: certificate ${certificate.name} has not been issued yet.`);
    }
  }
}

/** The certificates of all listeners. */
export const certificatesIn = (planned: readonly PlannedListener[]): string[] =>
  planned.flatMap(({ listener }) => listener.certificate_ids);

const keyOf = ({ address, port }: { address: string; port: number }) => `${address}:${port}`;

type Addressed = Omit<PlannedMember, 'id' | 'slot'>;

function planned(wanted: NewListener, members: readonly Addressed[], before?: PresentListener): PlannedListener {
  const { name, protocol, port, redirect_to_https, allowed_cidrs, pool } = wanted;
  const known = new Map(before?.members.map((member) => [keyOf(member), member]));
  // A slot is reused in a later change: until then its connections may still drain.
  const taken = new Set(before?.members.map(({ slot }) => slot));
  const free = (function* () {
    for (let slot = 1; ; slot += 1) if (!taken.has(slot)) yield slot;
  })();
  const placed = members.map((member) => {
    const same = known.get(keyOf(member));
    return { ...member, id: same?.id ?? newId(), slot: same?.slot ?? free.next().value ?? 0 };
  });
  const highest = Math.max(0, ...placed.map(({ slot }) => slot));
  return {
    listener: {
      id: before?.id ?? newId(),
      name,
      protocol,
      port,
      redirect_to_https,
      allowed_cidrs,
      certificate_ids: certificatesOf(wanted),
    },
    pool: {
      id: before?.pool.id ?? newId(),
      name: pool.name,
      algorithm: pool.algorithm,
      sticky: pool.sticky ?? null,
      health_check: pool.health_check ?? null,
      slots: before && before.pool.slots >= highest ? before.pool.slots : slotsFor(highest),
    },
    members: placed,
  };
}

async function addressesOfInstances(call: ProjectCall, networkId: string, listeners: readonly NewListener[]) {
  const ids = listeners.flatMap(({ pool }) => pool.members.flatMap(({ instance_id }) => instance_id ?? []));
  const rows = await query<{ id: string; name: string; address: string }>(sql`
    SELECT DISTINCT ON (i.id) i.id, i.name, host(p.ip) AS address
    FROM ${instancesAmong(call.project_id, ids.filter(isId))} ${joinPorts('i')}
    WHERE p.network_id = ${networkId}::uuid ORDER BY i.id, p.id`);
  return new Map(rows.map((row) => [row.id, row]));
}

function addressed(
  { instance_id, address, name, ...member }: NewMember,
  field: string,
  range: AddressRange,
  instances: ReadonlyMap<string, { id: string; name: string; address: string }>,
): Addressed {
  if (instance_id !== undefined) {
    const found = instances.get(instance_id.toLowerCase());
    if (!found) throw noSuch(`${field}.instance_id`, 'instance on the load balancer’s network');
    return { ...member, name: name ?? found.name, instance_id: found.id, address: found.address };
  }
  const given = address ?? '';
  if (toNumber(given) <= range.first || toNumber(given) >= range.last)
    throw invalid(`${field}.address: ${given} is not an address of the load balancer’s network.`);
  return { ...member, name: name ?? given, instance_id: null, address: given };
}

export const factsOf = (idle_timeout_s: number, planned: readonly PlannedListener[]): BalancerFacts => ({
  idle_timeout_s,
  listeners: planned.map(({ listener: { name: _, ...listener }, pool, members }) => ({
    ...listener,
    algorithm: pool.algorithm,
    sticky: pool.sticky,
    health_check: pool.health_check,
    slots: pool.slots,
    members: members.map(({ slot, address, port, weight, backup }) => ({ slot, address, port, weight, backup })),
  })),
});

export const noRoom = new ApiError(
  'CAPACITY_EXHAUSTED',
  'No host has enough free memory for a load balancer. Try again later.',
);
