import { readEvents, type StreamEvent } from '@/lib/core/events/read-events';
import { defaultBackoff, pause, watchdog } from './stream-patience';

/** Three heartbeats of the server. */
const SILENCE_MS = 45_000;

export type StreamState = 'connecting' | 'open' | 'lost';

/** What a state says to a reader who waits for lines. */
export const streamWords: Readonly<Record<StreamState, string>> = {
  connecting: 'Connecting',
  open: 'Waiting for new lines',
  lost: 'Connection lost, reconnecting',
};

interface Following {
  /** Sends the request of the stream; refusals are thrown. */
  ask: (request: { headers: Readonly<Record<string, string>>; signal: AbortSignal }) => Promise<Response>;
  opened: () => void;
  heard: (event: StreamEvent) => void;
  /** @param error why; undefined where the server has ended the stream */
  lost: (error: unknown) => void;
}

/** Follows a stream of server-sent events until the signal ends it, over lost connections too. */
export async function followEvents({ ask, opened, heard, lost }: Following, signal: AbortSignal): Promise<void> {
  let lastId: string | undefined;
  for (let failures = 0; !signal.aborted; failures += 1) {
    const silence = watchdog(SILENCE_MS);
    try {
      const headers: Record<string, string> = lastId === undefined ? {} : { 'Last-Event-ID': lastId };
      const { body } = await ask({ headers, signal: AbortSignal.any([signal, silence.signal]) });
      if (!body) throw new Error('The stream has no body.');
      failures = 0;
      opened();
      for await (const event of readEvents(body, silence.reset)) {
        lastId = event.id ?? lastId;
        if (!signal.aborted) heard(event);
      }
      if (!signal.aborted) lost(undefined);
    } catch (error) {
      if (!signal.aborted) lost(error);
    } finally {
      silence.stop();
    }
    await pause(defaultBackoff(failures), signal);
  }
}
