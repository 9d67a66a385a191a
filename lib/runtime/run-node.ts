import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** Additions to this process's environment, and a signal that aborts the program. */
export type RunOptions = { env?: Record<string, string>; signal?: AbortSignal };

/**
 * Runs a Node program of the checkout to completion without output.
 * @returns the message that it sent to this process, if any
 * @throws Error with its output, when it fails
 */
export async function runNode(args: string[], { env, signal }: RunOptions = {}): Promise<unknown> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    signal,
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      printed += chunk;
    });
  }
  let message: unknown;
  child.on('message', (sent) => {
    message = sent;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(message);
      else reject(new Error(printed.trim() || `${args.join(' ')} failed`));
    });
  });
}

/**
 * Runs a Node program of the checkout in this terminal. Termination signals end the program first.
 * @returns its exit code
 */
export async function runInForeground(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  const forward = (signal: NodeJS.Signals) => {
    child.kill(signal);
    child.once('exit', () => process.exit(128 + constants.signals[signal]));
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, forward);
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(1));
    child.once('exit', resolve);
  });
  for (const signal of signals) process.off(signal, forward);
  return code ?? 1;
}
