import { once } from 'node:events';
import { join } from 'node:path';
import { lockDataDir } from '@/lib/lock';
import { settings } from '@/lib/settings';
import { bringUp, type Stop } from './bring-up';
import { endLeftovers } from './leftovers';
import { stopPostgresIn } from './postgres';
import { isAlive, npmParent } from './process-table';

/**
 * `npm start`: brings the platform up and keeps it running; on Ctrl-C or SIGTERM stops it in reverse order. Exits with
 * 0 after a requested stop, with 1 and a reason when the start failed.
 */
export async function start({ dev }: { dev: boolean }): Promise<never> {
  // A closed terminal or pipe must not leave processes behind.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const stopping = new AbortController();
  let exitCode = 0;
  const fail = (message: string, error: unknown) => {
    if (stopping.signal.aborted) return;
    exitCode = 1;
    console.error(`\n${message}\n${error instanceof Error ? error.message : error}`);
    stopping.abort();
  };
  const stops: Stop[] = [];
  let ending: Promise<never> | undefined;
  try {
    const options = settings();
    claim(options.dataDir);
    stops.push({ name: 'what is left', stop: () => endLeftovers(options.dataDir, 2000) });
    onStopSignal(
      () => stopping.abort(),
      () => {
        ending ??= endAtOnce(options.dataDir);
      },
    );
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, (error: unknown) => fail('The supervisor failed.', error));
    }
    await bringUp(options, { dev, signal: stopping.signal, stops });
    if (!stopping.signal.aborted) await once(stopping.signal, 'abort');
  } catch (error) {
    fail('Nephele cannot start.', error);
  }
  if (stops.length > 0) console.log('\nStopping …');
  for (const { name, stop } of stops.reverse()) {
    await stop().catch((error) => console.error(`${name} did not stop cleanly: ${error.message}`));
    await ending;
  }
  if (stops.length > 0) console.log('Stopped.');
  process.exit(exitCode);
}

/** Allows one platform per data folder. */
function claim(dataDir: string): void {
  const lock = lockDataDir(dataDir);
  if ('heldBy' in lock) {
    throw new Error(
      `Another platform (pid ${lock.heldBy}) is using ${dataDir}. Stop it, or set DATA_DIR and PORT to run a second one.`,
    );
  }
}

const forceAfterMs = 2000;

/** `force` runs on a repeated signal. npm forwards Ctrl-C from a terminal, so the first one arrives twice. */
function onStopSignal(stop: () => void, force: () => void): void {
  let askedAt: number | undefined;
  const ask = () => {
    if (askedAt === undefined) {
      askedAt = Date.now();
      stop();
    } else if (Date.now() - askedAt > forceAfterMs) force();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ask);
  // A killed npm does not notify its child.
  const npm = npmParent();
  if (npm) setInterval(() => askedAt === undefined && !isAlive(npm) && ask(), 1000).unref();
}

/** Second signal: stop without draining. */
async function endAtOnce(dataDir: string): Promise<never> {
  console.error('Stopping immediately.');
  await endLeftovers(dataDir, 0);
  await stopPostgresIn(join(dataDir, 'postgres'), 'SIGQUIT');
  process.exit(1);
}
