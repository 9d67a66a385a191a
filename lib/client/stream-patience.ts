/** 0.5 s, 1 s, 2 s … 15 s, each up to half longer, so that pages don't all hit a restarted server at once. */
export function defaultBackoff(failures: number): number {
  return Math.min(15_000, 500 * 2 ** failures) * (1 + Math.random() / 2);
}

/** Aborts after this time without a reset, or when the browser goes offline. */
export function watchdog(ms: number) {
  const controller = new AbortController();
  // The browser may notice earlier that it is offline.
  const cut = () => controller.abort();
  let timer = setTimeout(cut, ms);
  globalThis.addEventListener?.('offline', cut);
  return {
    signal: controller.signal,
    reset: () => {
      clearTimeout(timer);
      timer = setTimeout(cut, ms);
    },
    stop: () => {
      clearTimeout(timer);
      globalThis.removeEventListener?.('offline', cut);
    },
  };
}

/** Waits; shorter if the browser reports that it is online again. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      globalThis.removeEventListener?.('online', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    globalThis.addEventListener?.('online', end);
  });
}
