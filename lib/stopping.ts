declare global {
  // One per process, even if a bundler loads this file twice.
  var nepheleStopping: AbortController | undefined;
}

function controller(): AbortController {
  globalThis.nepheleStopping ??= new AbortController();
  return globalThis.nepheleStopping;
}

/** Aborts when this process starts to stop; endless streams (server-sent events) must end on it. */
export function stoppingSignal(): AbortSignal {
  return controller().signal;
}

/** Announces to this process that it stops. */
export function announceStop(): void {
  controller().abort();
}
