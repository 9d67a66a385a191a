import { setTimeout as sleep } from 'node:timers/promises';
import { grouped } from '@/lib/domains/observability/logs/logql/vectors';
import type { LogEntry } from '@/lib/domains/observability/logs/write';
import { hasLoki, startLoki } from '@/lib/testing/loki';
import { freePort } from '@/lib/testing/loopback';

/** Chunks are written in the background; two readings with the same size mean that all are. */
const STORED_MS = 2000;

/** The real Loki with the same lines; undefined where it is not installed. */
export async function startRival() {
  if (!hasLoki) return undefined;
  const port = await freePort();
  const loki = await startLoki(port);
  async function send(path: string, body: string | URLSearchParams, headers: Record<string, string> = {}) {
    const response = await fetch(`http://127.0.0.1:${port}/loki/api/v1/${path}`, { method: 'POST', headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`Loki answered with ${response.status}: ${text}`);
    return text;
  }
  return {
    ...loki,
    async push(entries: readonly LogEntry[]): Promise<void> {
      const streams = [...grouped(entries, ({ labels }) => labels.resource_id ?? '').values()].map((own) => ({
        stream: own[0]?.labels,
        values: own.map(({ at, text }) => [`${at.getTime()}000000`, text]),
      }));
      await send('push', JSON.stringify({ streams }), { 'Content-Type': 'application/json' });
    },
    /** Waits until all lines are stored. @returns the bytes on disk */
    async stored(): Promise<number> {
      await loki.flush();
      let before = -1;
      for (let bytes = loki.bytes(); bytes !== before; bytes = loki.bytes()) {
        before = bytes;
        await sleep(STORED_MS);
      }
      return before;
    },
    async query(parameters: Record<string, string>): Promise<void> {
      const text = await send('time' in parameters ? 'query' : 'query_range', new URLSearchParams(parameters));
      if (text.includes('"result":[]')) throw new Error(`Loki finds nothing: ${parameters.query}`);
    },
  };
}

export type Rival = Awaited<ReturnType<typeof startRival>>;
