import { bucketOf } from '@/lib/core/devices/durations';
import { measure, ownerOf } from './line';

/** Switching protocols: how long such a connection lasts says nothing about the backend. */
const SWITCHING = 101;

/** Requests of a backend by duration. What no backend was asked for is none of its. */
type Group = { route_id: string; backend: string; bucket: number; requests: number; errors: number };

/** Bytes of a backend, and how often the gateway itself answered with 5xx because no backend did; then `backend` is empty. */
type Size = { route_id: string; backend: string; sent: number; received: number; unserved: number };

type Sum = { groups: Map<number, Group>; size: Size; isServed: boolean };

/** The sums of lines of the gateway's log, by route and backend. */
export function sumsOf(lines: readonly { message: string }[]): { groups: Group[]; sizes: Size[] } {
  /** By route and backend, and by the names that the log has for them: a backend has another server after each change of its target. */
  const sums = new Map<string, Sum>();
  const byOwner = new Map<string, Sum>();
  for (const { message } of lines) {
    const measured = measure(message);
    if (!measured) continue;
    const { owner, status, sent, received, ms } = measured;
    let sum = byOwner.get(owner);
    if (!sum) {
      sum = sumOf(owner, sums);
      byOwner.set(owner, sum);
    }
    const { size } = sum;
    size.sent += sent;
    size.received += received;
    const isError = status >= 500;
    if (!sum.isServed) size.unserved += isError ? 1 : 0;
    else if (status >= 100) count(sum, status === SWITCHING ? 0 : bucketOf(ms), isError);
  }
  const all = [...sums.values()];
  return { groups: all.flatMap(({ groups }) => [...groups.values()]), sizes: all.map(({ size }) => size) };
}

function sumOf(owner: string, sums: Map<string, Sum>): Sum {
  const { route_id, backend } = ownerOf(owner);
  const key = `${route_id} ${backend ?? ''}`;
  const known = sums.get(key);
  if (known) return known;
  const sum = {
    groups: new Map(),
    size: { route_id, backend: backend ?? '', sent: 0, received: 0, unserved: 0 },
    isServed: backend !== null,
  };
  sums.set(key, sum);
  return sum;
}

function count({ groups, size: { route_id, backend } }: Sum, bucket: number, isError: boolean): void {
  let group = groups.get(bucket);
  if (!group) {
    group = { route_id, backend, bucket, requests: 0, errors: 0 };
    groups.set(bucket, group);
  }
  group.requests += 1;
  group.errors += isError ? 1 : 0;
}
