import { resolve } from 'node:path';
import { engineOf } from '@/lib/engines/engines';
import { EngineError } from '@/lib/engines/error';
import { formatBytes } from '@/lib/format/size';
import type { ProgramState } from '@/lib/hosts/services/engine';
import { ownCell } from '@/lib/settings';

const PROGRESS_MS = 2_000;

/** Prints all programs of the catalogue, and whether this host has them. */
export async function listPrograms(): Promise<void> {
  for (const program of await engineOf(ownCell()).programs.listPrograms()) {
    const { name, version, licence, state, trouble } = program;
    console.log(`${name} ${version}  ${state}  ${licence}${trouble ? `\n  ${trouble}` : ''}`);
  }
}

/**
 * Downloads all versions of catalogue programs by name, and prints the progress.
 * @throws EngineError for an unknown name, before any download, and for unavailable programs
 */
export async function fetchPrograms(names: readonly string[], mirror?: string): Promise<void> {
  const known = await engineOf(ownCell()).programs.listPrograms();
  const unknown = names.filter((name) => !known.some((program) => program.name === name));
  if (unknown.length > 0) {
    const all = [...new Set(known.map(({ name }) => name))].join(', ');
    throw new EngineError('INVALID', `There is no program ${unknown.join(', ')}. Known programs: ${all}.`);
  }
  for (const program of known.filter(({ name }) => names.includes(name))) await fetchOne(program, mirror);
}

async function fetchOne(program: ProgramState, mirror: string | undefined): Promise<void> {
  const title = `${program.name} ${program.version}`;
  const progress = setInterval(() => {
    void tellProgress(title, program);
  }, PROGRESS_MS);
  try {
    await engineOf(ownCell()).programs.fetchProgram(program, mirror === undefined ? undefined : resolve(mirror));
  } finally {
    clearInterval(progress);
  }
  console.log(`${title}: ready`);
}

async function tellProgress(title: string, { name, version }: ProgramState): Promise<void> {
  const programs = await engineOf(ownCell()).programs.listPrograms();
  const found = programs.find((program) => program.name === name && program.version === version);
  if (found?.progress) console.log(`${title}: ${found.progress.step}, ${formatBytes(found.progress.receivedBytes)}`);
}
