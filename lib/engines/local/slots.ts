/** Limits the tasks that run at the same time. Others wait in line. */
export class Slots {
  private readonly queue: (() => void)[] = [];

  constructor(private free: number) {}

  /** Runs `work` in its turn. Throws the signal's reason if it aborts before. */
  async take<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    await this.enter(signal);
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  private async enter(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.free > 0) {
      this.free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const turn = () => {
        signal?.removeEventListener('abort', give);
        resolve();
      };
      const give = () => {
        this.queue.splice(this.queue.indexOf(turn), 1);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', give, { once: true });
      this.queue.push(turn);
    });
  }

  private leave(): void {
    const next = this.queue.shift();
    if (next) next();
    else this.free += 1;
  }
}
