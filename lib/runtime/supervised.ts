import { log } from '@/lib/log';

/** What a process of the platform does once it may begin. */
export type Work = { stop(): Promise<void> };

/**
 * The life of a process under the supervisor: it loads its code, waits until it may begin, says when it is ready, and
 * stops in good order when it is asked to or when the supervisor is gone. Without a supervisor it begins at once, so
 * that an operator can run any number of them by other means.
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
  // One request's forgotten promise is no reason to end all others.
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled promise rejection'));
  if (process.send) {
    // The supervisor may have gone while this process loaded its code.
    if (!process.connected) process.exit();
    await new Promise((resolve) => process.once('message', resolve));
  }
  work = await begin();
  process.send?.('ready');
}
