import { describe, expect, test } from 'vitest';
import { rdbOf } from './rdb';

const MARK = `${'a'.repeat(39)}b`;
const sent = (content: string) => Buffer.from(`+OK\r\n+OK\r\n+OK\r\n\n\n$EOF:${MARK}\r\n${content}`);

async function* inPieces(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

async function read(content: Buffer, size: number, begin = () => {}): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of rdbOf(inPieces(content, size), begin)) parts.push(part);
  return Buffer.concat(parts).toString();
}

describe('the data that a member of Valkey sends', () => {
  // Of the letters that the mark begins with.
  const data = `VALKEY080 aaaa ${'a'.repeat(60)} end`;

  test.each([1, 3, 41, 4096])('are whole, however they are cut on the way (%i bytes at once)', async (size) => {
    expect(await read(sent(`${data}${MARK}`), size)).toBe(data);
  });

  test('are refused when the connection ends before their end', async () => {
    await expect(read(sent(data), 7)).rejects.toThrow('did not send all');
    await expect(read(sent(`${data}${MARK.slice(0, 39)}`), 7)).rejects.toThrow('did not send all');
  });

  test.each([
    ['-NOMASTERLINK the link is down\r\n', 'NOMASTERLINK'],
    ['$12\r\nabc', 'refuses'],
  ])('are refused when the member answers otherwise: %j', async (answer, message) => {
    await expect(read(Buffer.from(`+OK\r\n+OK\r\n+OK\r\n${answer}`), 5)).rejects.toThrow(message);
    await expect(read(Buffer.from('-WRONGPASS no\r\n'), 5)).rejects.toThrow('WRONGPASS');
  });
});
