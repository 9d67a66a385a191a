import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * Starts a client that answers each line with a line of JSON.
 * @param folder is removed when it ends
 */
export function speakTo(argv: readonly string[], env: NodeJS.ProcessEnv, folder: string) {
  const child = spawn(argv[0] ?? '', argv.slice(1), { env, stdio: ['pipe', 'pipe', 'inherit'] });
  child.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask<T>(job: object): Promise<T> {
      child.stdin.write(`${JSON.stringify(job)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error('the client has ended');
      return JSON.parse(value);
    },
    end: () => void child.stdin.end(),
  };
}
