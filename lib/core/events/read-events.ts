/** A server-sent event: its name (`message` by default), its data, and the last id, if any, for `Last-Event-ID`. */
export interface StreamEvent {
  name: string;
  data: string;
  id?: string;
}

/** Parses a `text/event-stream` (WHATWG HTML, 9.2.6); retry hints are ignored. */
export async function* readEvents(
  body: NonNullable<Response['body']>,
  onBytes: () => void,
): AsyncGenerator<StreamEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = '';
  let name = '';
  let id = '';
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes();
      buffer += value;
      // A lone CR at the end may be the first half of a CRLF: wait for the next chunk.
      const lines = buffer.split(/\r\n|\n|\r(?!$)/);
      buffer = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') {
          if (data.length > 0) yield { name: name || 'message', data: data.join('\n'), ...(id && { id }) };
          name = '';
          data = [];
          continue;
        }
        const colon = line.indexOf(':');
        const field = colon < 0 ? line : line.slice(0, colon);
        const text = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
        if (field === 'event') name = text;
        else if (field === 'data') data.push(text);
        else if (field === 'id') id = text;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
