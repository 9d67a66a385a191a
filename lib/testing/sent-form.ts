const PIECE_BYTES = 64 * 1024;

/** A form as the options of a call. Its bytes arrive in pieces, as they do from a network. */
export async function sentForm(form: FormData): Promise<{ body: ReadableStream; headers: Record<string, string> }> {
  const response = new Response(form);
  const headers = { 'Content-Type': response.headers.get('content-type') ?? '' };
  const bytes = new Uint8Array(await response.arrayBuffer());
  let at = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (at >= bytes.byteLength) return controller.close();
      controller.enqueue(bytes.subarray(at, at + PIECE_BYTES));
      at += PIECE_BYTES;
    },
  });
  return { body, headers };
}
