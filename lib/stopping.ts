declare global {
  // One a process, also where a bundler loads this file twice.
  var nepheleStopping: AbortController | undefined;
}

function controller(): AbortController {
  globalThis.nepheleStopping ??= new AbortController();
  return globalThis.nepheleStopping;
}

/** Aborts when this process begins to stop: what would stream for ever (server-sent events) must end on it. */
export function stoppingSignal(): AbortSignal {
  return controller().signal;
}

/** Tells everything in this process that it stops. */
export function announceStop(): void {
  controller().abort();
}
