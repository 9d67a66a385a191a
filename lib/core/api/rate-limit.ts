/** The state of a token bucket, for the RateLimit headers. */
export type RateVerdict = { allowed: boolean; limit: number; remaining: number; reset_s: number };

type Bucket = { tokens: number; at: number };

/**
 * In-process token buckets by key: `burst` at once, `perMinute` in the long run. Full buckets are dropped, so memory
 * grows only with the number of active callers.
 */
export class RateLimiter {
  private readonly buckets = new Map<string, Bucket>();
  private sweptAt = 0;

  constructor(
    private readonly perMinute: number,
    private readonly burst: number,
  ) {}

  /** Takes one token, or says when the next is available. `at` is in milliseconds. */
  take(key: string, at: number): RateVerdict {
    this.sweep(at);
    const bucket = this.refilled(key, at);
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens -= 1;
    this.buckets.set(key, bucket);
    return this.verdict(bucket, allowed);
  }

  /** The result that `take` would return, without taking a token. */
  peek(key: string, at: number): RateVerdict {
    const bucket = this.refilled(key, at);
    return this.verdict(bucket, bucket.tokens >= 1);
  }

  private refilled(key: string, at: number): Bucket {
    const known = this.buckets.get(key);
    if (!known) return { tokens: this.burst, at };
    const gained = (Math.max(0, at - known.at) / 60_000) * this.perMinute;
    return { tokens: Math.min(this.burst, known.tokens + gained), at };
  }

  private verdict(bucket: Bucket, allowed: boolean): RateVerdict {
    const missing = allowed ? this.burst - bucket.tokens : 1 - bucket.tokens;
    return {
      allowed,
      limit: this.perMinute,
      remaining: Math.max(0, Math.floor(bucket.tokens)),
      reset_s: Math.max(allowed ? 0 : 1, Math.ceil((missing / this.perMinute) * 60)),
    };
  }

  private sweep(at: number): void {
    if (at - this.sweptAt < 60_000) return;
    this.sweptAt = at;
    for (const key of this.buckets.keys()) {
      if (this.refilled(key, at).tokens >= this.burst) this.buckets.delete(key);
    }
  }
}
