import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Running } from './keep-running';

/** A process of the platform: `lib/runtime/<name>.ts`. */
export type NodeProcess = {
  name: string;
  env: Record<string, string>;
  /** Settles when it may begin its work; it loads its code before that. */
  begin: Promise<unknown>;
  /** Time to finish its work when asked to stop. */
  graceMs: number;
  /** Receives its output line by line; by default the output goes to this process's own. */
  onLine?: (line: string) => void;
};

/**
 * Starts a process in its own session, so that Ctrl-C in a terminal reaches only the supervisor, which stops everything
 * in order. Settles when the process reports that it is ready.
 */
export async function launchNode(options: NodeProcess, signal: AbortSignal): Promise<Running> {
  const output = options.onLine ? 'pipe' : 'inherit';
  const child = spawn(process.execPath, ['--import', 'tsx', `lib/runtime/${options.name}.ts`], {
    detached: true,
    env: { ...process.env, ...options.env, NEPHELE_PROCESS: options.name },
    stdio: ['ignore', output, output, 'ipc'],
  });
  for (const stream of [child.stdout, child.stderr]) {
    if (stream && options.onLine) createInterface(stream).on('line', options.onLine);
  }
  const ended = endOf(child);
  const stop = async () => {
    child.kill('SIGTERM');
    const impatience = setTimeout(() => child.kill('SIGKILL'), options.graceMs);
    await ended;
    clearTimeout(impatience);
  };
  const ready = new Promise<undefined>((resolve) => child.once('message', () => resolve(undefined)));
  const begun = options.begin.then(() => {
    if (child.connected) child.send('begin');
    return ready;
  });
  signal.addEventListener('abort', stop);
  try {
    const reason = await Promise.race([ended, begun]);
    if (reason !== undefined) throw new Error(`${options.name} ended during startup (${reason})`);
  } catch (error) {
    await stop();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
  return { ended, stop };
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
  });
}
