import { log } from '@/lib/log';

/** The work of a process, once it may begin. */
export type Work = { stop(): Promise<void> };

/**
 * Runs a process under the supervisor: loads its code, waits for the go-ahead, reports that it is ready, and stops in
 * order on request or when the supervisor is gone. Without a supervisor it begins at once, so operators can run any
 * number of them by other means.
 */
export async function runSupervised(begin: () => Promise<Work>): Promise<void> {
  let work: Work | undefined;
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    try {
      await work?.stop();
    } catch (error) {
      log.error({ err: error }, 'stopping failed');
      process.exitCode = 1;
    }
    process.exit();
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
  process.on('disconnect', stop);
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'the process failed');
    process.exit(1);
  });
  // A forgotten promise of one request must not end all others.
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled promise rejection'));
  if (process.send) {
    // The supervisor may have ended while this process loaded its code.
    if (!process.connected) process.exit();
    await new Promise((resolve) => process.once('message', resolve));
  }
  work = await begin();
  process.send?.('ready');
}
