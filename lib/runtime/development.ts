import { watch } from 'node:fs/promises';
import { generateApiClient } from './generate';
import type { Kept } from './keep-running';
import type { RunOptions } from './run-node';
import { report } from './terminal-log';

const settleMs = 200;

/** `npm run dev`: restarts the worker on every code change, and keeps the portal's types in sync with the API. */
export async function restartOnChange(worker: Kept, run: RunOptions, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const apply = async () => {
    await worker.restart();
    await generateApiClient(run).catch((error) => report(error.message));
  };
  try {
    for await (const { filename } of watch('lib', { recursive: true, signal })) {
      if (
        !filename?.endsWith('.ts') ||
        /\.test\.ts$|^db\/generated\/|^client\/(schema\.d|reference)\.ts/.test(filename)
      )
        continue;
      clearTimeout(timer);
      timer = setTimeout(apply, settleMs);
    }
  } catch (error) {
    if (!signal.aborted) report(`File changes are no longer detected: ${error}`);
  }
}
