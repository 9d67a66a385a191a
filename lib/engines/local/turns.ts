/** Runs what concerns the same key one after the other, and different keys side by side. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.last.get(key) === mine) this.last.delete(key);
    }
  }
}

/** Resolves once the condition gives something, asking every `everyMs`; undefined when the time is over first. */
export async function waitFor<T>(
  condition: () => Promise<T | undefined | null | false>,
  options: { timeoutMs: number; everyMs?: number; signal?: AbortSignal },
): Promise<T | undefined> {
  const deadline = Date.now() + options.timeoutMs;
  for (;;) {
    options.signal?.throwIfAborted();
    const value = await condition();
    if (value) return value;
    if (Date.now() >= deadline) return undefined;
    await new Promise((resolve) => setTimeout(resolve, options.everyMs ?? 100));
  }
}
