import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { FloatingIpRange } from '@/lib/domains/network/engine';
import { waitForLock } from '@/lib/lock';
import { EngineError } from '../../error';
import { run } from '../exec';
import type { Host } from '../host';
import { namesIn, readRecord, removePath, writeRecord } from '../record';
import { overlaps, type Range, rangeOf, toAddress, toNumber } from './addresses';

/**
 * Addresses that belong to no tenant: the segment on which all routers and the way out meet, and the pool of floating
 * IPs. They are chosen once, clear of what the host has, and kept, because the platform hands them out.
 */
const planRecord = z.object({ segment: z.string(), pool: z.string(), routers: z.record(z.string(), z.string()) });
export type AddressPlan = z.infer<typeof planRecord>;

/** 198.18.0.0/15 is set apart for tests of network devices (RFC 2544): nobody's LAN and nobody's site. */
const SEGMENTS = '198.19.0.0';
const POOLS = '198.18.0.0';
const BLOCK = 4096;
const BLOCKS = 16;
const PREFIX_LENGTH = 20;

/** Where the parts of the segment begin: the way out, its resolver, routers, and the inner side of loopback floating IPs. */
const GATEWAY = 2;
const RESOLVER = 3;
const FIRST_ROUTER = 16;
const FIRST_INNER = 2048;

const planFile = (host: Host) => join(host.directory, 'network', 'plan.json');

export async function addressPlan(host: Host): Promise<AddressPlan> {
  const kept = await readRecord(planFile(host), planRecord);
  if (host.isolation !== 'root') return keep(host, kept ?? loopbackBlocks(host), kept);
  if (kept) {
    await announce(host);
    return keep(host, kept, kept);
  }
  const lock = await waitForLock(join(PLANS, LOCK));
  try {
    const present = await readRecord(planFile(host), planRecord);
    const plan = await keep(host, present ?? (await freeBlocks()), present);
    await announce(host);
    return plan;
  } finally {
    lock.release();
  }
}

/** The plan with the pool that the operator wants, written where it is not what was kept. */
async function keep(host: Host, plan: AddressPlan, kept: AddressPlan | null): Promise<AddressPlan> {
  const wanted = { ...plan, pool: host.floatingIpCidr ?? plan.pool };
  if (wanted.pool !== kept?.pool) await writeRecord(planFile(host), wanted);
  return wanted;
}

/** The plan with an address on the segment for a router; one that has one keeps it. */
export async function planRouter(host: Host, routerId: string): Promise<AddressPlan> {
  const plan = await addressPlan(host);
  if (plan.routers[routerId]) return plan;
  const taken = new Set(Object.values(plan.routers));
  const base = rangeOf(plan.segment).first;
  let next = base + FIRST_ROUTER;
  while (taken.has(toAddress(next))) next += 1;
  if (next >= base + FIRST_INNER) throw new EngineError('CAPACITY_EXHAUSTED', 'This host cannot have more routers.');
  const updated = { ...plan, routers: { ...plan.routers, [routerId]: toAddress(next) } };
  await writeRecord(planFile(host), updated);
  return updated;
}

/** Frees the address of a router that is gone. */
export async function unplanRouter(host: Host, routerId: string): Promise<void> {
  const plan = await addressPlan(host);
  const { [routerId]: freed, ...routers } = plan.routers;
  if (freed !== undefined) await writeRecord(planFile(host), { ...plan, routers });
}

const inSegment = (plan: AddressPlan, offset: number) => toAddress(rangeOf(plan.segment).first + offset);
export const gatewayOf = (plan: AddressPlan) => inSegment(plan, GATEWAY);
export const resolverOf = (plan: AddressPlan) => inSegment(plan, RESOLVER);

/** A floating IP as routers know it: itself, or for a loopback address its counterpart on the segment. */
export function innerAddress(host: Host, plan: AddressPlan, floatingIp: string): string {
  if (host.isolation === 'root') return floatingIp;
  return inSegment(plan, FIRST_INNER + toNumber(floatingIp) - rangeOf(plan.pool).first);
}

/** What may be allocated of the pool; without root its inner side has 2,048 addresses. */
export function allocatable(host: Host, plan: AddressPlan): FloatingIpRange {
  const { first, last } = rangeOf(plan.pool);
  const end = host.isolation === 'root' ? last : Math.min(last, first + FIRST_INNER - 1);
  return { first: toAddress(first + 1), last: toAddress(end - 1) };
}

const hostRoutes = z.array(z.object({ dst: z.string() }));

/**
 * Links to the plans of this host's engines. Until it has a router, a plan shows in no route: who chooses meanwhile finds
 * it here. A link that leads nowhere is of an engine that is gone.
 */
const PLANS = '/run/nephele/address-plans';
const LOCK = 'lock';
const announced = new Set<string>();

async function announce(host: Host): Promise<void> {
  if (announced.has(host.directory)) return;
  await mkdir(PLANS, { recursive: true });
  await removePath(join(PLANS, host.tag));
  await symlink(planFile(host), join(PLANS, host.tag));
  announced.add(host.directory);
}

async function announcedBlocks(): Promise<Range[]> {
  const blocks: Range[] = [];
  for (const name of (await namesIn(PLANS)).filter((name) => name !== LOCK)) {
    const plan = await readRecord(join(PLANS, name), planRecord);
    if (plan) blocks.push(rangeOf(plan.segment), rangeOf(plan.pool));
    else await removePath(join(PLANS, name));
  }
  return blocks;
}

async function routedBlocks(): Promise<Range[]> {
  const routes = hostRoutes.parse(JSON.parse(await run(['ip', '-4', '-json', 'route', 'show', 'table', 'all'])));
  return routes.flatMap(({ dst }) => {
    if (!/^\d/.test(dst)) return [];
    return [rangeOf(dst.includes('/') ? dst : `${dst}/32`)];
  });
}

async function freeBlocks(): Promise<AddressPlan> {
  const routed = await routedBlocks();
  const announced = await announcedBlocks();
  const timesUsed = ({ segment, pool }: AddressPlan, used: Range[]) =>
    used.filter((range) => [segment, pool].some((cidr) => overlaps(range, rangeOf(cidr)))).length;
  // Data folders that lie about unused keep nobody from working: the block that the fewest of them have is taken.
  const [plan] = Array.from({ length: BLOCKS }, (_, block) => blockPlan(block))
    .filter((plan) => timesUsed(plan, routed) === 0)
    .toSorted((plan, other) => timesUsed(plan, announced) - timesUsed(other, announced));
  if (plan) return plan;
  throw new EngineError(
    'ENGINE_ERROR',
    'This host routes all of 198.18.0.0/15 elsewhere; the engine needs part of that range.',
  );
}

/** Inside a namespace of our own nothing is taken; engines of one user share the loopback, so each has its own /21 there. */
function loopbackBlocks(host: Host): AddressPlan {
  const second = 65 + (Number.parseInt(host.tag, 16) % 150);
  return { ...blockPlan(0), pool: `127.${second}.0.0/21` };
}

function blockPlan(block: number): AddressPlan {
  const cidr = (base: string) => `${toAddress(toNumber(base) + block * BLOCK)}/${PREFIX_LENGTH}`;
  return { segment: cidr(SEGMENTS), pool: cidr(POOLS), routers: {} };
}
