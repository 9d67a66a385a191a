import type { Socket } from 'node:net';

/** A message on a channel: four bytes of length, big-endian, and JSON. */
export function frame(value: unknown): Buffer {
  const text = JSON.stringify(value);
  const length = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(4 + length);
  bytes.writeUInt32BE(length);
  bytes.write(text, 4);
  return bytes;
}

/** Collects the bytes of a channel into messages. */
export class FrameReader {
  private pieces: Buffer[] = [];
  private size = 0;

  /** @param mostBytes of a message; the other side is not trusted */
  constructor(private readonly mostBytes: number) {}

  /** @returns the messages that are complete now. @throws for a message that is too long or no JSON */
  read(piece: Buffer): unknown[] {
    this.pieces.push(piece);
    this.size += piece.length;
    const found: unknown[] = [];
    for (;;) {
      if (this.size < 4) return found;
      const length = this.head().readUInt32BE();
      if (length > this.mostBytes) throw new Error(`a message of ${length} bytes is too long`);
      if (this.size < 4 + length) return found;
      const all = this.joined();
      found.push(JSON.parse(all.toString('utf8', 4, 4 + length)));
      this.pieces = all.length > 4 + length ? [all.subarray(4 + length)] : [];
      this.size = all.length - 4 - length;
    }
  }

  private head(): Buffer {
    const [first] = this.pieces;
    return first && first.length >= 4 ? first : this.joined();
  }

  private joined(): Buffer {
    const [first] = this.pieces;
    const all = this.pieces.length === 1 && first ? first : Buffer.concat(this.pieces);
    this.pieces = [all];
    return all;
  }
}

/** Writes a message; those of the same round of the event loop leave together. */
export function sendFrame(socket: Socket, value: unknown): void {
  if (socket.writableCorked === 0) {
    socket.cork();
    setImmediate(() => socket.uncork());
  }
  socket.write(frame(value));
}
