import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Entry, EntryTarget } from '@/lib/domains/network/engine';
import { type Host, shortHash } from '../host';
import { endProcess, findProcess, isAlive, signal, startProcess } from '../processes';
import { hasPython, PYTHON } from '../programs';
import { readRecord, removePath, writeRecord } from '../record';
import { entriesFolder } from '../services/service-record';
import { routerNamespace } from './names';
import { isInNamespace, namespaceCommand } from './namespaces';

const ENTRIES = join(dirname(fileURLToPath(import.meta.url)), 'entries.py');
const ROLE = 'entries';
/** It owns its files and opens ordinary connections. */
const POWERLESS = ['setpriv', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--'];
/** Where a front finds the sockets. */
const INSIDE = '/run/entries';

const targets = z.array(z.object({ socket: z.string(), address: z.ipv4(), port: z.int() }));

const fileOf = (host: Host, routerId: string) =>
  join(host.directory, 'network', `entries-${shortHash(routerId, 16)}.json`);
const nameOf = (routerId: string, { address, port }: EntryTarget) => shortHash(`${routerId} ${address} ${port}`, 16);

/** Opens exactly these ways into a router's networks, by a small process in its namespace. */
export async function ensureEntries(host: Host, routerId: string, wanted: readonly EntryTarget[]): Promise<Entry[]> {
  const file = fileOf(host, routerId);
  const present = await readRecord(file, targets);
  if (wanted.length === 0) {
    if (present) await removeEntries(host, routerId);
    return [];
  }
  await mkdir(entriesFolder(host), { recursive: true, mode: 0o711 });
  const entries = wanted.map((target) => ({ socket: join(entriesFolder(host), nameOf(routerId, target)), ...target }));
  const isSame = JSON.stringify(present) === JSON.stringify(entries);
  if (!isSame) await writeRecord(file, entries);
  const name = routerNamespace(host, routerId);
  const running = findProcess(host, ROLE, routerId);
  const isInside = running !== undefined && (await isInNamespace(host, name, running.pid));
  if (running && !isInside) await endProcess(running);
  if (running && isInside && !isSame) signal(running, 'SIGHUP');
  if (!isInside && hasPython()) {
    const log = join(host.directory, 'logs', `entries-${shortHash(routerId, 12)}.log`);
    const inside = await namespaceCommand(host, name);
    startProcess(host, ROLE, routerId, [...inside, ...POWERLESS, PYTHON, '-I', '-S', ENTRIES, file], log);
  }
  return wanted.map((target) => ({ ...target, socket: join(INSIDE, nameOf(routerId, target)) }));
}

/** Closes all ways into a router's networks; no error where there are none. */
export async function removeEntries(host: Host, routerId: string): Promise<void> {
  const running = findProcess(host, ROLE, routerId);
  if (running && isAlive(running)) await endProcess(running);
  for (const { socket } of (await readRecord(fileOf(host, routerId), targets)) ?? []) await removePath(socket);
  await removePath(fileOf(host, routerId));
  await removePath(join(host.directory, 'logs', `entries-${shortHash(routerId, 12)}.log`));
}
