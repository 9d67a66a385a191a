import { ApiError } from '@/lib/core/api/errors';

/** Limits concurrency: further callers wait in a queue, and are refused at once when the queue is full. */
export class Gate {
  private inside = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly most: number,
    private readonly mostWaiting: number,
  ) {}

  get idle(): boolean {
    return this.inside === 0;
  }

  /** @throws ApiError 429 when the queue is full */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.enter();
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  private async enter(): Promise<void> {
    if (this.inside < this.most) {
      this.inside += 1;
      return;
    }
    if (this.waiting.length >= this.mostWaiting) {
      throw new ApiError('RATE_LIMITED', 'Too many sign-ins at the same time. Try again in 1 s.', {
        headers: { 'Retry-After': '1' },
      });
    }
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** Passes the place to the next in line, so that nobody can jump the queue. */
  private leave(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.inside -= 1;
  }
}
