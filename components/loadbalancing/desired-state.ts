import type { components } from '@/lib/client/schema';
import type { LoadBalancer, Member, Pool } from './types';

export type DesiredState = components['schemas']['ReplaceLoadBalancer'];
export type DesiredListener = components['schemas']['NewListener'];
export type DesiredMember = components['schemas']['NewMember'];

/**
 * A load balancer as it is now, as the body of the PUT that would change nothing; undefined if one of its pools has not
 * been read yet.
 */
export function desiredState(balancer: LoadBalancer, pools: readonly Pool[]): DesiredState | undefined {
  const listeners = balancer.listeners.flatMap((listener): DesiredListener[] => {
    const { name, protocol, port, redirect_to_https, allowed_cidrs, certificate_ids } = listener;
    const pool = pools.find(({ id }) => id === listener.pool_id);
    if (!pool) return [];
    const certificates = certificate_ids.length > 0 ? { certificate_ids } : {};
    return [{ name, protocol, port, ...certificates, redirect_to_https, allowed_cidrs, pool: desiredPool(pool) }];
  });
  if (listeners.length < balancer.listeners.length) return undefined;
  return { name: balancer.name, idle_timeout_s: balancer.idle_timeout_s, listeners };
}

function desiredPool({ name, algorithm, sticky, health_check, members }: Pool): DesiredListener['pool'] {
  return {
    name,
    algorithm,
    ...(sticky && { sticky }),
    members: members.map(desiredMember),
    ...(health_check && { health_check }),
  };
}

function desiredMember({ name, instance_id, address, port, weight, backup }: Member): DesiredMember {
  return { name, ...(instance_id === null ? { address } : { instance_id }), port, weight, backup };
}

/** The state with other members in the pool of the listener at a port. */
export function withMembers(
  state: DesiredState,
  listenerPort: number,
  change: (members: readonly DesiredMember[]) => DesiredMember[],
): DesiredState {
  return {
    ...state,
    listeners: state.listeners.map((listener) =>
      listener.port === listenerPort
        ? { ...listener, pool: { ...listener.pool, members: change(listener.pool.members ?? []) } }
        : listener,
    ),
  };
}

/** Whether a desired member is this one. */
export const isMember =
  ({ instance_id, address, port }: Pick<Member, 'instance_id' | 'address' | 'port'>) =>
  (wanted: DesiredMember): boolean =>
    wanted.port === port && (instance_id === null ? wanted.address === address : wanted.instance_id === instance_id);

/** The state as text, to compare two of them. */
export const stateText = (state: DesiredState): string => JSON.stringify(state, null, 2);

/** What a change did, for people: the name, the timeout and each listener by its port. */
export function differences(before: DesiredState, now: DesiredState): { name: string; before: string; now: string }[] {
  const ports = [...new Set([...before.listeners, ...now.listeners].map(({ port }) => port))];
  const listenerAt = (state: DesiredState, port: number) => state.listeners.find((listener) => listener.port === port);
  const rows = [
    { name: 'Name', before: before.name ?? '', now: now.name ?? '' },
    { name: 'Idle timeout', before: `${before.idle_timeout_s} s`, now: `${now.idle_timeout_s} s` },
    ...ports.flatMap((port) => {
      const [one, other] = [listenerAt(before, port), listenerAt(now, port)];
      if (JSON.stringify(one) === JSON.stringify(other)) return [];
      const row = { name: `Listener ${port}`, before: describeListener(one), now: describeListener(other) };
      return row.before === row.now ? [{ ...row, now: `${row.now}, with other settings` }] : [row];
    }),
  ];
  return rows.filter((row) => row.before !== row.now);
}

/** "web (web-1 weight 1, web-2 weight 3)" */
function describeListener(listener: DesiredListener | undefined): string {
  if (!listener) return 'none';
  const members = (listener.pool.members ?? []).map(
    ({ name, address, instance_id, weight }) => `${name ?? address ?? instance_id} weight ${weight}`,
  );
  return `${listener.name} (${members.join(', ') || 'no members'})`;
}
