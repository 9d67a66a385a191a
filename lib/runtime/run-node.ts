import { spawn } from 'node:child_process';

/** What a program gets besides this process's environment, and what ends it early. */
export type RunOptions = { env?: Record<string, string>; signal?: AbortSignal };

/**
 * Runs a Node program of the checkout to its end, quietly.
 * @returns the message that it sent to this process, if any
 * @throws Error with what it printed, when it fails
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
