import type { Image } from './image-look';

export type ImageFormat = Image['format'];

/** What a file seems to be: `known` by its bytes, `unknown` with a guess from its name, `packed` when it must be unpacked. */
export type Guess =
  | { kind: 'known'; format: ImageFormat }
  | { kind: 'unknown'; format: ImageFormat }
  | { kind: 'packed'; tool: string };

/** ISO 9660: the first volume descriptor stands in sector 16. */
const DISC_MARK_AT = 32_769;

const marks: readonly { bytes: readonly number[]; at: number; guess: Guess }[] = [
  { bytes: [0x51, 0x46, 0x49, 0xfb], at: 0, guess: { kind: 'known', format: 'QCOW2' } },
  { bytes: [0x43, 0x44, 0x30, 0x30, 0x31], at: DISC_MARK_AT, guess: { kind: 'known', format: 'ISO' } },
  { bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], at: 0, guess: { kind: 'packed', tool: 'unxz' } },
  { bytes: [0x1f, 0x8b], at: 0, guess: { kind: 'packed', tool: 'gunzip' } },
  { bytes: [0x28, 0xb5, 0x2f, 0xfd], at: 0, guess: { kind: 'packed', tool: 'unzstd' } },
  { bytes: [0x50, 0x4b, 0x03, 0x04], at: 0, guess: { kind: 'packed', tool: 'unzip' } },
  { bytes: [0x42, 0x5a, 0x68], at: 0, guess: { kind: 'packed', tool: 'bunzip2' } },
];

/** What a file is, by its first bytes, and by its name where they say nothing; the server proves it afterwards. */
export async function guessFormat(file: File): Promise<Guess> {
  const head = new Uint8Array(await file.slice(0, DISC_MARK_AT + 5).arrayBuffer());
  const found = marks.find(({ bytes, at }) => bytes.every((byte, offset) => head[at + offset] === byte));
  return found?.guess ?? { kind: 'unknown', format: formatOfName(file.name) };
}

function formatOfName(name: string): ImageFormat {
  if (/\.qcow2?$/i.test(name)) return 'QCOW2';
  return /\.iso$/i.test(name) ? 'ISO' : 'RAW';
}

/** A name for the image, after its file's. */
export function guessName(fileName: string): string {
  return fileName.replace(/\.[a-z0-9]{1,6}$/i, '').slice(0, 100);
}
