/**
 * Waits for work that cannot be stopped, but no longer than `signal` lets it: then the work goes on by itself, and
 * nobody hears of its end.
 */
export async function interruptible<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  work.catch(() => {});
  signal.throwIfAborted();
  let stop = () => {};
  const interrupted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
