const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----\s+([A-Za-z0-9+/=\s]+?)\s*-----END \1-----/y;
const SPACE = /\s*/y;

/** A block of a PEM file (RFC 7468): its label and its decoded bytes. */
export type PemBlock = { label: string; bytes: Buffer };

/** Reads a PEM file that contains nothing but blocks; undefined if there is anything else in it. */
export function readPem(text: string): PemBlock[] | undefined {
  const blocks: PemBlock[] = [];
  for (let at = skipSpace(text, 0); at < text.length; ) {
    BLOCK.lastIndex = at;
    const [whole, label = '', body = ''] = BLOCK.exec(text) ?? [];
    if (whole === undefined) return undefined;
    const base64 = body.replace(/\s/g, '');
    const bytes = Buffer.from(base64, 'base64');
    if (bytes.toString('base64') !== base64) return undefined;
    blocks.push({ label, bytes });
    at = skipSpace(text, at + whole.length);
  }
  return blocks;
}

function skipSpace(text: string, from: number): number {
  SPACE.lastIndex = from;
  SPACE.exec(text);
  return SPACE.lastIndex;
}
