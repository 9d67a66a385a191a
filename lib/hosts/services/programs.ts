import { oneAtATime, signalChange } from '@/lib/core/db/changes';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { engines } from '@/lib/engines/engines';
import { log } from '@/lib/log';
import { ownCell } from '@/lib/settings';
import type { ProgramState } from './engine';
import type { ProgramReport } from './schema';

const LOOK_MS = 1000;

/** Every program of the catalogue, as this cell has it. */
export async function listPrograms(): Promise<ProgramReport[]> {
  const programs = await engines().programs.listPrograms();
  return programs.map((program) => ({
    cell_id: ownCell(),
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

/** Tells open pages what happens to this cell's programs, whichever process fetches them. */
export function watchPrograms(): { stop(): Promise<void> } {
  let last: string | undefined;
  const look = oneAtATime(async () => {
    const seen = JSON.stringify(await engines().programs.listPrograms());
    if (last !== undefined && seen !== last) await hint();
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

async function hint(): Promise<void> {
  try {
    await execute(
      sql`INSERT INTO changes (topic, resource_id, at) VALUES ('program', ${ownCell()}::text, platform_now())`,
    );
    signalChange();
  } catch (error) {
    log.warn({ err: error }, 'a change of programs could not be announced');
  }
}
