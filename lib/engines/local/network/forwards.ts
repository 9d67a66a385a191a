import { readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { z } from 'zod';
import type { FloatingIpForward, Router, SecurityRule } from '@/lib/domains/network/engine';
import { EngineError } from '../../error';
import type { Host } from '../host';
import { parseJson } from '../record';
import { type AddressPlan, innerAddress } from './address-plan';
import { slirpSocket } from './edge';

/** What a wide range is taken to mean: no user process can listen on 65,535 ports of the loopback. */
const WELL_KNOWN = [22, 80, 443, 3000, 3306, 5000, 5432, 6379, 8000, 8080, 8443, 9000];
const WIDEST_RANGE = 64;
/** 80 becomes 8080 and 443 becomes 8443. */
const LOW_PORT_SHIFT = 8000;

/** Where callers on this host reach a router's floating IPs, without root: one forward for each port that a rule opens. */
export function wantedForwards(router: Router): FloatingIpForward[] {
  const lowest = firstFreePort();
  return router.floatingIps.flatMap(({ address, portId }) => {
    const opened = openedPorts(router, portId);
    const plain = opened.filter(({ port }) => port >= lowest).map((open) => ({ ...open, hostPort: open.port }));
    const shifted = opened
      .filter(({ port }) => port < lowest)
      .map((open) => ({ ...open, hostPort: shift(open, plain) }));
    return [...plain, ...shifted].map((forward) => ({ floatingIp: address, ...forward }));
  });
}

type Opened = { protocol: 'tcp' | 'udp'; port: number };

function openedPorts(router: Router, portId: string): Opened[] {
  const port = router.networks.flatMap((network) => network.ports).find(({ id }) => id === portId);
  const groups = router.securityGroups.filter(({ id }) => port?.securityGroupIds.includes(id));
  const opened = groups
    .flatMap(({ rules }) => rules)
    .filter(({ direction }) => direction === 'ingress')
    .flatMap(portsOf);
  return [...new Map(opened.map((open) => [`${open.protocol}${open.port}`, open])).values()];
}

function portsOf({ protocol, portRangeMin, portRangeMax }: SecurityRule): Opened[] {
  if (protocol === 'icmp') return [];
  const first = protocol === 'any' ? 1 : Math.max(1, portRangeMin ?? 1);
  const last = protocol === 'any' ? 65_535 : (portRangeMax ?? portRangeMin ?? 65_535);
  const narrow = last - first < WIDEST_RANGE;
  const ports = narrow
    ? Array.from({ length: last - first + 1 }, (_, index) => first + index)
    : WELL_KNOWN.filter((port) => port >= first && port <= last);
  return ports.map((port) => ({ protocol: protocol === 'udp' ? 'udp' : 'tcp', port }));
}

function shift({ protocol, port }: Opened, taken: { protocol: string; hostPort: number }[]): number {
  let candidate = port + LOW_PORT_SHIFT;
  while (taken.some((other) => other.protocol === protocol && other.hostPort === candidate)) candidate += 10_000;
  return candidate;
}

function firstFreePort(): number {
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
  } catch {
    return 1024;
  }
}

const entry = z.object({
  id: z.number(),
  proto: z.string(),
  host_addr: z.string(),
  host_port: z.number(),
  guest_addr: z.string(),
  guest_port: z.number(),
});
const listing = z.object({ entries: z.array(entry) });

/**
 * Makes slirp4netns forward what is wanted and nothing of what is surplus; other forwards stay as they are.
 * @returns what it refused, for a person to read: mostly a port that some other program has
 */
export async function applyForwards(
  host: Host,
  plan: AddressPlan,
  wanted: readonly FloatingIpForward[],
  surplus: readonly FloatingIpForward[],
): Promise<string[]> {
  if (wanted.length === 0 && surplus.length === 0) return [];
  const { entries } = listing.parse(await ask(host, 'list_hostfwd'));
  const present = new Map(
    entries.map((entry) => [keyOf({ ...entry, proto: entry.proto === 'udp' ? 'udp' : 'tcp' }), entry.id]),
  );
  for (const forward of surplus) {
    const id = present.get(keyOf(slirpRule(host, plan, forward)));
    if (id !== undefined) await ask(host, 'remove_hostfwd', { id });
  }
  const warnings: string[] = [];
  for (const rule of wanted.map((forward) => slirpRule(host, plan, forward))) {
    if (present.has(keyOf(rule))) continue;
    await ask(host, 'add_hostfwd', rule).catch((error: Error) => {
      warnings.push(`${rule.host_addr}:${rule.host_port} could not be opened: ${error.message}`);
    });
  }
  return warnings;
}

/** A forward as slirp4netns takes it. */
const slirpRule = (host: Host, plan: AddressPlan, { floatingIp, protocol, port, hostPort }: FloatingIpForward) => ({
  proto: protocol,
  host_addr: floatingIp,
  host_port: hostPort,
  guest_addr: innerAddress(host, plan, floatingIp),
  guest_port: port,
});

const keyOf = (rule: ReturnType<typeof slirpRule>) =>
  `${rule.proto} ${rule.host_addr}:${rule.host_port} ${rule.guest_addr}:${rule.guest_port}`;

/** Some of its answers come wrapped in `return`, and some bare. */
const reply = z.looseObject({ return: z.unknown().optional(), error: z.object({ desc: z.string() }).optional() });

/** One question to slirp4netns, which takes one a connection. */
function ask(host: Host, command: string, args?: Record<string, unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(slirpSocket(host));
    let text = '';
    socket.setTimeout(10_000, () => socket.destroy(new Error('no response')));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', (error) => reject(new EngineError('ENGINE_ERROR', `slirp4netns: ${error.message}`)));
    socket.on('close', () => {
      const parsed = reply.safeParse(parseJson(text));
      if (!parsed.success) return reject(new EngineError('ENGINE_ERROR', 'slirp4netns did not respond.'));
      const { error, return: wrapped } = parsed.data;
      if (error) return reject(new EngineError('ENGINE_ERROR', error.desc));
      resolve(wrapped ?? parsed.data);
    });
    socket.end(JSON.stringify({ execute: command, ...(args ? { arguments: args } : {}) }));
  });
}
