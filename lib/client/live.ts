import { readEvents, type StreamEvent } from '@/lib/core/events/read-events';
import { defaultBackoff, pause, watchdog } from './stream-patience';

/** A message from the browser's one stream to all its tabs. */
export type LiveMessage =
  | { kind: 'hint'; topic: string }
  /** The stream is open, and earlier data may be stale. Includes the server's version, if sent. */
  | { kind: 'resync'; version: string | undefined }
  /** The stream broke and is being reopened. */
  | { kind: 'lost' };

type Word = LiveMessage | { kind: 'ask' };

/** Runs `work` when no other tab with the same name does; stops waiting when aborted. */
export type Exclusively = (name: string, signal: AbortSignal, work: () => Promise<void>) => Promise<void>;

interface LiveOptions {
  /** Tabs with the same name share one stream. */
  name: string;
  /** Opens the stream. An error is retried. */
  open: (signal: AbortSignal) => Promise<Response>;
  onMessage: (message: LiveMessage) => void;
  signal: AbortSignal;
  /** Runs work in one tab at a time; undefined if the browser has no locks, so that each tab has its own stream. */
  exclusively?: Exclusively | undefined;
  /** Time without any byte, including heartbeats, after which the stream counts as broken. */
  silenceMs?: number;
  /** The pause before the next try. */
  backoffMs?: (failures: number) => number;
}

/**
 * Follows changes in a project or on the platform. One tab of a browser holds the stream, because HTTP/1.1 allows six
 * connections; it informs the others over a BroadcastChannel, and when it closes, another takes over.
 */
export function followEvents(options: LiveOptions): void {
  const { name, signal, onMessage, exclusively } = options;
  const channel = new BroadcastChannel(`nephele-live:${name}`);
  let state: LiveMessage | undefined;

  const say = (message: LiveMessage) => {
    if (signal.aborted) return;
    if (message.kind !== 'hint') state = message;
    channel.postMessage(message);
    onMessage(message);
  };
  channel.onmessage = ({ data }: MessageEvent<Word>) => {
    // A new tab asks for the state; only a leader with a broken stream has something to report.
    if (data.kind === 'ask') {
      if (state?.kind === 'lost') channel.postMessage(state);
    } else onMessage(data);
  };
  channel.postMessage({ kind: 'ask' } satisfies Word);
  signal.addEventListener('abort', () => channel.close(), { once: true });

  const lead = () => holdStream(options, say);
  const leading = exclusively ? exclusively(`nephele-live:${name}`, signal, lead) : lead();
  leading.catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

async function holdStream(options: LiveOptions, say: (message: LiveMessage) => void): Promise<void> {
  const { signal, open, silenceMs = 45_000, backoffMs = defaultBackoff } = options;
  let failures = 0;
  while (!signal.aborted) {
    const silence = watchdog(silenceMs);
    try {
      const response = await open(AbortSignal.any([signal, silence.signal]));
      if (!response.body) throw new Error('an event stream without a body');
      for await (const event of readEvents(response.body, silence.reset)) {
        const message = messageOf(event);
        if (message?.kind === 'resync') failures = 0;
        if (message) say(message);
      }
    } catch {
      // Reported below, whatever it was: refused, broken, silent.
    } finally {
      silence.stop();
    }
    say({ kind: 'lost' });
    await pause(backoffMs(failures), signal);
    failures += 1;
  }
}

function messageOf({ name, data }: StreamEvent): LiveMessage | undefined {
  const fields: unknown = JSON.parse(data);
  if (typeof fields !== 'object' || fields === null) return undefined;
  if (name === 'resync') {
    const version = 'version' in fields && typeof fields.version === 'string' ? fields.version : undefined;
    return { kind: 'resync', version };
  }
  return 'topic' in fields && typeof fields.topic === 'string' ? { kind: 'hint', topic: fields.topic } : undefined;
}
