const PIECE_BYTES = 64 * 1024;

/** A body whose bytes arrive in pieces, as they do from a network. */
export function piecemeal(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.byteLength) return controller.close();
      controller.enqueue(bytes.subarray(at, at + PIECE_BYTES));
      at += PIECE_BYTES;
    },
  });
}
