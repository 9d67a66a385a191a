import { cp, lstat, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { ProgramRef, Settlement } from '@/lib/hosts/services/engine';
import { EngineError, reasonOf } from '../../error';
import type { Host } from '../host';
import { readRecord, removePath, writeRecord } from '../record';
import { MOUNT_POINTS } from '../services/bundle';
import { findProgram, PROGRAMS } from './catalogue';
import { unpackDebian } from './debian';
import type { Program } from './program';

/** Beside the data: several versions of a program stand side by side. */
const programsFolder = (host: Host) => join(host.cacheDir, 'programs');
const programFolder = (host: Host, { name, version }: ProgramRef) => join(programsFolder(host), `${name}-${version}`);

/** The root of a program's sandbox, once the program is here. */
export const programRoot = (host: Host, program: ProgramRef) => join(programFolder(host, program), 'root');

const manifest = z.object({ parts: z.array(z.string()) });

export type ProgramState = {
  name: string;
  version: string;
  licence: string;
  state: 'ready' | 'fetching' | 'available';
  parts: string[];
  trouble: string | null;
};

type Fetch = { done: Promise<void>; trouble: string | null };
const fetching = new Map<string, Fetch>();

/**
 * Whether a program is here; where it is not, fetching begins and goes on by itself.
 * @throws EngineError `ENGINE_UNAVAILABLE` with the reason when it could not be had; the next call tries again
 */
export async function ensureProgram(
  host: Host,
  wanted: ProgramRef,
  programs: readonly Program[] = PROGRAMS,
): Promise<Settlement> {
  if (await isReady(host, wanted)) return { settled: true };
  const program = findProgram(wanted.name, wanted.version, programs);
  if (!program) throw new EngineError('INVALID', `There is no program ${wanted.name} ${wanted.version}.`);
  const key = programFolder(host, wanted);
  const current = fetching.get(key);
  if (current?.trouble) {
    fetching.delete(key);
    throw new EngineError(
      'ENGINE_UNAVAILABLE',
      `${wanted.name} ${wanted.version} could not be fetched: ${current.trouble}`,
    );
  }
  if (!current) begin(host, program, key);
  return { settled: false, waits_for: `Fetching ${wanted.name} ${wanted.version}`, again_ms: 500 };
}

function begin(host: Host, program: Program, key: string): void {
  const entry: Fetch = { trouble: null, done: Promise.resolve() };
  entry.done = fetchProgram(host, program).then(
    () => {
      fetching.delete(key);
    },
    (error) => {
      entry.trouble = reasonOf(error);
    },
  );
  fetching.set(key, entry);
}

/** Fetches a program now, and resolves when it is here. */
export async function fetchProgram(host: Host, program: Program): Promise<void> {
  if (await isReady(host, program)) return;
  const folder = programFolder(host, program);
  const draft = `${folder}.new`;
  await removePath(draft);
  await mkdir(draft, { recursive: true });
  const stage = join(draft, 'stage');
  const parts = await unpackDebian(program.packages, join(draft, 'downloads'), stage);
  await keepOnly(stage, join(draft, 'root'), program);
  await removePath(join(draft, 'downloads'));
  await removePath(stage);
  await writeRecord(join(draft, 'manifest.json'), { parts });
  await removePath(folder);
  await rename(draft, folder);
}

/** State of every program of the catalogue on this host. */
export async function programStates(host: Host, programs: readonly Program[] = PROGRAMS): Promise<ProgramState[]> {
  return Promise.all(
    programs.map(async ({ name, version, licence }) => {
      const found = await readManifest(host, { name, version });
      const current = fetching.get(programFolder(host, { name, version }));
      const state = found ? 'ready' : current && !current.trouble ? 'fetching' : 'available';
      return { name, version, licence, state, parts: found?.parts ?? [], trouble: current?.trouble ?? null } as const;
    }),
  );
}

const readManifest = (host: Host, program: ProgramRef) =>
  readRecord(join(programFolder(host, program), 'manifest.json'), manifest);

async function isReady(host: Host, program: ProgramRef): Promise<boolean> {
  return (await readManifest(host, program)) !== null;
}

const LIBRARIES = ['usr/lib/', 'usr/lib64/', 'lib/', 'lib64/'];

/** Moves what the program needs into its root: its own files, libraries and loaders, and the mount points of a sandbox. */
async function keepOnly(stage: string, root: string, program: Program): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o755 });
  for (const path of [...LIBRARIES, ...program.keep]) await keep(stage, root, path.replace(/\/$/, ''));
  for (const path of MOUNT_POINTS) await mkdir(join(root, path), { recursive: true, mode: 0o755 });
  for (const name of ['passwd', 'group', 'hosts', 'resolv.conf', 'nsswitch.conf']) await touch(join(root, 'etc', name));
  await touch(join(root, '.init'));
}

async function keep(stage: string, root: string, path: string): Promise<void> {
  const from = join(stage, path);
  const found = await lstat(from).catch(() => null);
  if (!found) return;
  await mkdir(dirname(join(root, path)), { recursive: true, mode: 0o755 });
  await cp(from, join(root, path), { recursive: true, verbatimSymlinks: true, force: true });
}

async function touch(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o755 });
  await writeFile(file, '');
}
