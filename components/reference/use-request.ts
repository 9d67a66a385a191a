import { useEffect, useRef, useState } from 'react';

/** So much of an answer is shown; all of it can be downloaded. */
const SHOWN_CHARACTERS = 100_000;

/** What came back, as far as it has come. */
export interface Answer {
  status: number;
  status_text: string;
  request_id: string | null;
  took_ms: number;
  /** Absent for bytes that no one reads. */
  text?: string;
  /** An address within this page, for what is better kept than read. */
  download?: { url: string; name: string; size_bytes: number };
}

export type Sending =
  | { state: 'idle' }
  | { state: 'sending'; answer?: Answer }
  | { state: 'answered'; answer: Answer }
  | { state: 'failed'; reason: string };

/** Sends one request at a time and shows its answer as it comes: a stream goes on until it is stopped. */
export function useRequest() {
  const [sending, setSending] = useState<Sending>({ state: 'idle' });
  const current = useRef<AbortController>(null);
  const held = useRef<string>(null);
  const release = () => {
    if (held.current) URL.revokeObjectURL(held.current);
    held.current = null;
  };
  useEffect(
    () => () => {
      current.current?.abort();
      if (held.current) URL.revokeObjectURL(held.current);
    },
    [],
  );

  const send = async (request: Request) => {
    current.current?.abort();
    release();
    const controller = new AbortController();
    current.current = controller;
    setSending({ state: 'sending' });
    const began = performance.now();
    let answer: Answer | undefined;
    try {
      const response = await fetch(request, { signal: controller.signal });
      answer = {
        status: response.status,
        status_text: response.statusText,
        request_id: response.headers.get('x-request-id'),
        took_ms: Math.round(performance.now() - began),
      };
      const type = response.headers.get('content-type') ?? '';
      if (type.startsWith('application/json') || type.startsWith('text/event-stream')) {
        let text = '';
        const decoder = new TextDecoder();
        for await (const chunk of chunks(response)) {
          text = (text + decoder.decode(chunk, { stream: true })).slice(0, SHOWN_CHARACTERS);
          answer = { ...answer, text };
          setSending({ state: 'sending', answer });
        }
        answer = { ...answer, text: indented(text) };
      } else if (response.status !== 204) {
        const bytes = await response.blob();
        held.current = URL.createObjectURL(bytes);
        const name = /filename="?([^";]+)/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'answer';
        answer = { ...answer, download: { url: held.current, name, size_bytes: bytes.size } };
      }
      setSending({ state: 'answered', answer });
    } catch {
      if (current.current !== controller) return;
      if (controller.signal.aborted && answer) setSending({ state: 'answered', answer });
      else if (controller.signal.aborted) setSending({ state: 'idle' });
      else
        setSending({
          state: 'failed',
          reason: 'Nephele is not responding. Check your connection, or try again later.',
        });
    }
  };
  return { sending, send, stop: () => current.current?.abort() };
}

async function* chunks(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) yield part.value;
}

/** JSON on lines of its own; anything else as it came. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
