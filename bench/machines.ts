import { connect } from 'node:net';
import { cpus, loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { PROMPT } from '@/lib/engines/local/compute/boot-watch';
import { openLocalEngine } from '@/lib/engines/local/local-engine';
import { owner } from '@/lib/testing/accounts';
import { NANO, TINY_IMAGE } from '@/lib/testing/hosts';
import { startPlatform } from '@/lib/testing/platform';
import { type Aim, verdict } from './ratio';

const AIM_MS = 4_000;
const BOOTS = 10;
const CHANGES = 10;
/** Poll interval, which limits the accuracy of the measurement. */
const LOOK_MS = 5;

const identified = z.object({ id: z.string() });
type Post = (path: string, body: object) => Promise<string>;

/**
 * Measures machines on a separate platform, started as a user would, with an empty network and the tiny image. Has the
 * requirements of the local engine; as root, floating IPs answer under their own ports.
 */
export async function measureMachines(): Promise<void> {
  const platform = await startPlatform();
  try {
    const token = await signIn(platform.url);
    const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
      const response = await fetch(`${platform.url}/api/v1${path}`, {
        method,
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path} → ${response.status} ${text}`);
      return text === '' ? undefined : JSON.parse(text);
    };
    const post: Post = async (path, body) => identified.parse(await ask('POST', path, body)).id;
    const { compute } = openLocalEngine({ dataDir: platform.dataDir });
    const [network] = z.array(identified).parse(await ask('GET', '/network/networks'));
    const wanted = { name: 'web', flavor_id: NANO, image_id: TINY_IMAGE, network_id: network?.id };

    /** The time from sending the request to a shell prompt on the guest's serial port. */
    const boot = async (): Promise<{ id: string; ms: number }> => {
      const begun = performance.now();
      const id = await post('/compute/instances', wanted);
      const hasPrompt = async () => PROMPT.test((await compute.consoleLog(id, 5)).output);
      while (!(await hasPrompt().catch(() => false))) await delay(LOOK_MS);
      return { id, ms: performance.now() - begun };
    };
    const settled = async (count: number) => {
      const list = z.array(z.object({ status: z.string(), task: z.string().nullable() }));
      for (;;) {
        const rows = list.parse(await ask('GET', '/compute/instances'));
        if (rows.length === count && rows.every(({ status, task }) => status === 'active' && task === null)) return;
        await delay(100);
      }
    };
    const remove = (id: string) => ask('DELETE', `/compute/instances/${id}`);

    console.log(
      `\nload ${loadavg()[0]?.toFixed(1)} of ${cpus().length} processors; ${await accelerator(platform.dataDir)}`,
    );
    // The first one also waits for the image.
    await remove((await boot()).id);
    await settled(0);
    const alone: number[] = [];
    while (alone.length < BOOTS) {
      const { id, ms } = await boot();
      alone.push(ms);
      await remove(id);
      await settled(0);
    }
    print('POST → userspace, one at a time', alone, { text: 'median ≤ 4 s', met: median(alone) <= AIM_MS });
    const together: number[] = [];
    while (together.length < BOOTS) {
      const booted = await Promise.all([boot(), boot(), boot(), boot()]);
      together.push(...booted.map(({ ms }) => ms));
      await Promise.all(booted.map(({ id }) => remove(id)));
      await settled(0);
    }
    print('POST → userspace, four at a time', together);

    const { id: instance_id } = await boot();
    await settled(1);
    await measureRules(ask, post, instance_id);
  } finally {
    await platform.dispose();
  }
}

/**
 * Measures the time from the request until a new rule admits the first connection through a floating IP, and until its
 * removal refuses one.
 */
async function measureRules(
  ask: (method: string, path: string, body?: object) => Promise<unknown>,
  post: Post,
  instance_id: string,
): Promise<void> {
  const addressId = await post('/network/floating-ips', {});
  await ask('POST', `/network/floating-ips/${addressId}/associate`, { instance_id });
  const groups = z.array(z.object({ id: z.string(), is_default: z.boolean() }));
  const group = groups.parse(await ask('GET', '/network/security-groups')).find(({ is_default }) => is_default);
  const found = z.array(z.object({ address: z.string(), forwards: z.array(z.object({ host_port: z.number() })) }));
  const rule = { direction: 'ingress', protocol: 'tcp', port_range_min: 80, cidr: '0.0.0.0/0' };
  const [opened, closed]: [number[], number[]] = [[], []];
  for (let round = 0; round <= CHANGES; round++) {
    const [begun, ruleId] = [performance.now(), await post(`/network/security-groups/${group?.id}/rules`, rule)];
    const [place] = found.parse(await ask('GET', '/network/floating-ips'));
    const target = { host: place?.address ?? '', port: place?.forwards[0]?.host_port ?? 80 };
    await until(target, true);
    opened.push(performance.now() - begun);
    const closing = performance.now();
    await ask('DELETE', `/network/security-groups/rules/${ruleId}`);
    await until(target, false);
    closed.push(performance.now() - closing);
  }
  // The first one may have waited for the address.
  print('rule added → connection through', opened.slice(1));
  print('rule removed → connection refused', closed.slice(1));
}

/** Tries connections until one succeeds, or until none does within a tenth of a second. */
async function until(target: { host: string; port: number }, open: boolean): Promise<void> {
  while ((await connects(target, open ? 20 : 100)) !== open) await delay(LOOK_MS);
}

function connects(target: { host: string; port: number }, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(target);
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
    socket.setTimeout(timeoutMs, () => end(false));
  });
}

async function accelerator(dataDir: string): Promise<string> {
  const statuses = await openLocalEngine({ dataDir }).probe();
  return statuses.find(({ engine }) => engine === 'compute')?.message ?? '';
}

async function signIn(url: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(owner),
  });
  return z.object({ access_token: z.string() }).parse(await response.json()).access_token;
}

function median(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  const [low = 0, high = 0] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return (low + high) / 2;
}

function print(what: string, times: readonly number[], aim?: Aim): void {
  const seconds = (ms: number) => (ms >= 1000 ? `${(ms / 1000).toFixed(2)} s` : `${ms.toFixed(0)} ms`);
  const range = `${seconds(Math.min(...times))} to ${seconds(Math.max(...times))}`;
  console.log(`${what.padEnd(46)} median ${seconds(median(times))} of ${times.length} (${range})${verdict(aim)}`);
}
