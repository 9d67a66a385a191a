import { cp, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { operatorsPolicy } from '@/lib/core/net/checked-fetch';
import { type EgressProxy, startEgressProxy } from '@/lib/core/net/egress-proxy';
import { engineOf } from '@/lib/engines/engines';
import { readRecord, writeRecord } from '@/lib/engines/local/record';
import type { Settlement } from '@/lib/hosts/services/engine';
import { settings } from '@/lib/settings';
import { ArchiveError, unpackArchive } from './archive';
import { type BuildOrder, builderOf, LOCK, OUTPUT } from './builder';
import { layersFolder, versionFolder } from './content';
import { type ContentFacts, sealContent } from './digest';
import { incomingArchive } from './publish';

/** A version's content as it is on the disk. */
export type BuiltContent = ContentFacts & { lockfile: string | null };

/** A build that can't succeed; the message is for whoever published the version. */
export class BuildFailure extends Error {
  override name = 'BuildFailure';
}

const AGAIN_MS = 500;
const MOST_CONNECTIONS = 32;
const IDLE_MS = 120_000;
/** A lockfile and a log end here. */
const LOCK_BYTES = 1024 ** 2;
const LOG_LINES = 2000;

const builtContent = z.object({
  sha256: z.string(),
  size_bytes: z.number(),
  files: z.int(),
  lockfile: z.string().nullable(),
});
const recordOf = (id: string) => `${versionFolder(id)}.json`;
const draftOf = (id: string) => `${versionFolder(id)}.new`;

/** The content of a version, if it has been made. */
export const findContent = (id: string): Promise<BuiltContent | null> => readRecord(recordOf(id), builtContent);

/** Takes the content of a version away, and everything that its making left. */
export async function removeContent(id: string): Promise<void> {
  await rm(recordOf(id), { force: true });
  for (const folder of [draftOf(id), versionFolder(id)]) await rm(folder, { recursive: true, force: true });
  await rm(incomingArchive(id), { force: true });
}

/** Unpacks the archive of a version. @throws BuildFailure */
export async function contentOfArchive(id: string, signal: AbortSignal): Promise<BuiltContent> {
  const built = await findContent(id);
  if (built) return built;
  const draft = await emptyDraft(id);
  const content = await asFailure(async () => {
    await unpackArchive(incomingArchive(id), draft, signal);
    return sealContent(draft);
  });
  return keep(id, { ...content, lockfile: null });
}

/** The ways out of builders that this process has opened. */
const ways = new Map<string, EgressProxy>();

/**
 * Builds the requirements of a version in a sandbox, which reaches the hosts of the package index alone.
 * @throws BuildFailure, EngineError
 */
export async function contentOfRequirements(
  cell: string,
  order: BuildOrder,
): Promise<Settlement<{ content: BuiltContent }>> {
  const built = await findContent(order.id);
  if (built) return { settled: true, content: built };
  const { services } = engineOf(cell);
  const { id } = order;
  const { spec, hosts, ports } = await builderOf(order);
  const wasWatched = ways.has(id);
  if (!wasWatched) await openWay(services.egressSocket(id), id, hosts, ports);
  const answer = await services.ensureService(spec);
  if (!answer.settled)
    return { ...answer, waits_for: waitsFor(answer.waits_for), again_ms: Math.max(answer.again_ms, AGAIN_MS) };
  const found = (await services.observeServices()).find((service) => service.id === id);
  if (found?.power === 'running') return { settled: false, waits_for: 'Installing packages', again_ms: AGAIN_MS };
  const end = found?.lastExit;
  if (!end || (end.code !== 0 && !wasWatched)) {
    // It lost its way out with the process that had opened it: once more from the beginning.
    await services.removeService(id);
    return { settled: false, waits_for: 'Starting the builder again', again_ms: AGAIN_MS };
  }
  if (end.outOfMemory) throw new BuildFailure('The builder ran out of memory.');
  if (end.code !== 0)
    throw new BuildFailure('The requirements could not be installed. The output of the builder says why.');
  return { settled: true, content: await takeOver(id, services.stateFolder(id)) };
}

/** "Starting layer-builder" is what the engine says until it has ended. */
const waitsFor = (text: string) => (text.startsWith('Starting') ? 'Installing packages' : text);

/** Opens the way out of a builder, to these hosts and those that the operator adds, until `endBuilder`. */
export async function openWay(socket: string, id: string, hosts: string[], ports: number[]): Promise<void> {
  const open = new Set([...hosts, ...settings().layerIndexHosts]);
  const policy = operatorsPolicy();
  await mkdir(dirname(socket), { recursive: true });
  const proxy = await startEgressProxy(socket, {
    // The operator's own index may be at a private address.
    policy: { ...policy, allowed: [...policy.allowed, ...open] },
    ports,
    allows: (host) => open.has(host.toLowerCase()),
    mostConnections: MOST_CONNECTIONS,
    idleMs: IDLE_MS,
  });
  ways.set(id, proxy);
}

async function takeOver(id: string, state: string): Promise<BuiltContent> {
  const draft = await emptyDraft(id);
  const lock = await readFile(join(state, LOCK), 'utf8').catch(() => '');
  const content = await asFailure(async () => {
    // Links stay links, which sealing then refuses.
    await cp(join(state, OUTPUT), draft, { recursive: true, verbatimSymlinks: true });
    return sealContent(draft);
  });
  return keep(id, { ...content, lockfile: lock.slice(0, LOCK_BYTES) });
}

/** What the builder of a version has said so far. */
export async function logOfBuilder(cell: string, id: string): Promise<string> {
  const { lines } = await engineOf(cell).services.readLog(id, null, LOG_LINES);
  return lines.map(({ message }) => message).join('\n');
}

/** Ends the builder of a version and closes its way out; no error where there is none. */
export async function endBuilder(cell: string, id: string): Promise<void> {
  await engineOf(cell).services.removeService(id);
  const way = ways.get(id);
  ways.delete(id);
  await way?.close();
}

async function emptyDraft(id: string): Promise<string> {
  const draft = draftOf(id);
  await rm(draft, { recursive: true, force: true });
  // The sandboxes of functions pass through to the versions that they are given, and list nothing.
  await mkdir(layersFolder(), { recursive: true, mode: 0o711 });
  await mkdir(dirname(draft), { recursive: true, mode: 0o711 });
  await mkdir(draft, { mode: 0o755 });
  return draft;
}

/** The folder is whole before its record says that it is there. */
async function keep(id: string, content: BuiltContent): Promise<BuiltContent> {
  await rm(versionFolder(id), { recursive: true, force: true });
  await rename(draftOf(id), versionFolder(id));
  await writeRecord(recordOf(id), content);
  await rm(incomingArchive(id), { force: true });
  return content;
}

async function asFailure<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ArchiveError) throw new BuildFailure(error.message);
    throw error;
  }
}
