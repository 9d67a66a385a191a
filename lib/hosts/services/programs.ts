import { oneAtATime, signalChange } from '@/lib/core/db/changes';
import { hintInsert } from '@/lib/core/db/hint';
import { execute } from '@/lib/core/db/pool';
import { engineOf } from '@/lib/engines/engines';
import { log } from '@/lib/log';
import type { ProgramState } from './engine';
import type { ProgramReport } from './schema';

const LOOK_MS = 1000;

/** Every program of the catalogue, as a cell has it. */
export async function listPrograms(cell: string): Promise<ProgramReport[]> {
  const programs = await engineOf(cell).programs.listPrograms();
  return programs.map((program) => ({
    cell_id: cell,
    name: program.name,
    version: program.version,
    licence: program.licence,
    status: program.state,
    message: messageOf(program),
    progress: program.progress && { step: program.progress.step, received_bytes: program.progress.receivedBytes },
    parts: program.parts,
  }));
}

function messageOf({ name, state, trouble }: ProgramState): string | null {
  const command = `npm run admin -- programs fetch ${name}`;
  if (state === 'absent') return `Fetched with the first service that needs it. To fetch it now, run: ${command}`;
  if (state === 'unavailable')
    return `${trouble ?? ''} Fetched again with the next service that needs it, or with: ${command}`;
  return null;
}

/** Announces changes of a cell's programs to open pages, whichever process fetches them. */
export function watchPrograms(cell: string): { stop(): Promise<void> } {
  let last: string | undefined;
  const look = oneAtATime(async () => {
    const seen = JSON.stringify(await engineOf(cell).programs.listPrograms());
    if (last !== undefined && seen !== last) await hint(cell);
    last = seen;
  });
  const timer = setInterval(look.fire, LOOK_MS);
  look.fire();
  return {
    async stop() {
      clearInterval(timer);
      await look.idle();
    },
  };
}

async function hint(cell: string): Promise<void> {
  try {
    await execute(hintInsert({ topic: 'program', resource_id: cell }));
    signalChange();
  } catch (error) {
    log.warn({ err: error }, 'a change of programs could not be announced');
  }
}
