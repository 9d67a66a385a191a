import { readEvents, type StreamEvent } from '@/lib/core/events/read-events';

/** The events of a stream so far, and whether it has ended. */
export type Heard = { events: StreamEvent[]; hints: unknown[]; ended: boolean; bytes: number; close(): Promise<void> };

/** Reads a stream of events to its end. */
export function hear(body: ReadableStream<Uint8Array<ArrayBuffer>>): Heard {
  const leaving = new AbortController();
  const through = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  const piped = body.pipeTo(through.writable, { signal: leaving.signal }).catch(() => {});
  const heard: Heard = {
    events: [],
    hints: [],
    ended: false,
    bytes: 0,
    async close() {
      leaving.abort();
      await piped;
    },
  };
  const follow = async () => {
    try {
      for await (const event of readEvents(through.readable, () => heard.bytes++)) {
        heard.events.push(event);
        if (event.name === 'hint') heard.hints.push(JSON.parse(event.data));
      }
    } catch {
      // The stream was closed.
    }
    heard.ended = true;
  };
  void follow();
  return heard;
}
