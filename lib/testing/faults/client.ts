import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { owner } from '../accounts';

export type Reply = { status: number; body: unknown };

/** How long a caller tolerates an unavailable platform. */
const PATIENCE_MS = 120_000;

/** A caller that repeats a request under the same Idempotency-Key until it gets an answer. */
export class StubbornClient {
  /**
   * Answers that are never acceptable, whatever is killed: the platform may be unavailable (503), but must not fail
   * (500).
   */
  readonly complaints: string[] = [];
  private token: Promise<string> | undefined;

  constructor(private readonly url: string) {}

  async call(method: string, path: string, body?: object): Promise<Reply> {
    const key = randomUUID();
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      const reply = await this.attempt(method, path, body, key).catch(() => undefined);
      if (reply && reply.status < 500) return reply;
      if (reply && reply.status !== 503)
        this.complaints.push(`${method} ${path} → ${reply.status} ${JSON.stringify(reply.body)}`);
      if (Date.now() > until) throw new Error(`${method} ${path} has no answer: ${JSON.stringify(reply)}`);
      await delay(200);
    }
  }

  /** All items of a list, across its pages. */
  async list<T>(path: string, item: z.ZodType<T>): Promise<T[]> {
    const { body } = await this.call('GET', `${path}?limit=200`);
    return z.array(item).parse(body);
  }

  private async attempt(method: string, path: string, body: object | undefined, key: string): Promise<Reply> {
    this.token ??= this.signIn();
    const token = await this.token.catch((error) => {
      this.token = undefined;
      throw error;
    });
    return this.send(method, path, body, { Authorization: `Bearer ${token}`, 'Idempotency-Key': key });
  }

  private async signIn(): Promise<string> {
    const { body } = await this.send('POST', '/auth/login', owner, {});
    return z.object({ access_token: z.string() }).parse(body).access_token;
  }

  private async send(method: string, path: string, body: object | undefined, headers: object): Promise<Reply> {
    const response = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: { ...headers, ...(body ? { 'Content-Type': 'application/json' } : {}) },
      signal: AbortSignal.timeout(20_000),
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }
}
