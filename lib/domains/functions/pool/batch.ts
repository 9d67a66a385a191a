type Waiting<Item, Result> = { item: Item; resolve(result: Result): void; reject(error: unknown): void };

/** How long a write waits for more items while many come. */
const GATHER_MS = 1;

/** The share of callers that a write waits for: for more they would idle, for fewer there would be more writes. */
const SHARE = 0.4;

/**
 * Gathers items while the last write is under way, and a moment longer if it had several and others are under way:
 * many callers share one commit, and a single one waits for nobody.
 */
export class Batch<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private writing: Promise<void> | undefined;
  private lastCount = 0;
  private enough: { count: number; go(): void } | undefined;

  /**
   * @param write gives a result for each item, in their order
   * @param callers how many are under way, with those who wait here
   */
  constructor(
    private readonly most: number,
    private readonly write: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly callers: () => number,
  ) {}

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (this.enough && this.waiting.length >= this.enough.count) this.enough.go();
      // The callers of this very moment share the first write.
      this.writing ??= Promise.resolve().then(() => this.drain());
    });
  }

  /** Resolves when all that has been added is written. */
  async idle(): Promise<void> {
    await this.writing;
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const enough = Math.ceil(this.callers() * SHARE);
      if (this.lastCount > 1) await this.gathered(Math.min(enough, this.most));
      const taken = this.waiting.splice(0, this.most);
      this.lastCount = taken.length;
      await this.writeAll(taken);
    }
    this.writing = undefined;
  }

  /** Waits until so many items are there, or for a moment. */
  private async gathered(count: number): Promise<void> {
    if (this.waiting.length >= count) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, GATHER_MS);
      const go = () => {
        clearTimeout(timer);
        resolve();
      };
      this.enough = { count, go };
    });
    this.enough = undefined;
  }

  private async writeAll(taken: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.write(taken.map(({ item }) => item));
      taken.forEach(({ resolve, reject }, index) => {
        const result = results[index];
        if (result === undefined) reject(new Error('an item was not written'));
        else resolve(result);
      });
    } catch (error) {
      if (taken.length === 1) {
        taken[0]?.reject(error);
        return;
      }
      // One of them may be to blame; the others are not refused for it.
      for (const one of taken) await this.writeAll([one]);
    }
  }
}
