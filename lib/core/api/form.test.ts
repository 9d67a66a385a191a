import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { invalid } from './errors';
import { readForm } from './form';

const never = new AbortController().signal;

/** Reads a form with the file field `file`; the field `wrong` is refused. */
async function read(
  parts: [name: string, value: string | Blob][],
  change: { cut?: boolean; signal?: AbortSignal; receive?: (content: Readable) => Promise<string> } = {},
) {
  const form = new FormData();
  for (const [name, value] of parts) form.append(name, value);
  const sent = new Response(form);
  const bytes = new Uint8Array(await sent.arrayBuffer());
  const stream = new Blob([change.cut ? bytes.subarray(0, bytes.length - 20) : bytes]).stream();
  const fields: Record<string, string> = {};
  const discarded: string[] = [];
  const rules = {
    file: 'file',
    fields: 3,
    fieldBytes: 100,
    onField(name: string, value: string) {
      if (name === 'wrong') throw invalid('wrong: is refused.');
      fields[name] = value;
    },
    receive: (content: Readable, signal: AbortSignal) =>
      new Promise<string>((resolve, reject) => {
        // Later, so that a complete file still counts as received.
        signal.addEventListener('abort', () => setImmediate(reject, new Error('ended')));
        (change.receive ?? text)(content).then(resolve, reject);
      }),
    discard: async (received: string) => void discarded.push(received),
  };
  const upload = { stream, content_type: sent.headers.get('content-type') ?? '', content_length: null };
  const received = await readForm(upload, rules, change.signal ?? never).catch((error: Error) => error.message);
  return { received, fields, discarded };
}

const file = (content: string) => new Blob([content]);
const large = 'x'.repeat(300_000);

test('fields before and after the file are read, and the file as it is', async () => {
  const { received, fields } = await read([
    ['first', 'one'],
    ['file', file(large)],
    ['second', 'two'],
  ]);
  expect(fields).toEqual({ first: 'one', second: 'two' });
  expect(received).toBe(large);
});

test('a form without a file has none', async () => {
  expect((await read([['first', 'one']])).received).toBeUndefined();
});

test.each([
  [
    'a refused field',
    [
      ['wrong', 'x'],
      ['file', file(large)],
    ],
    /^wrong: is refused/,
    [],
  ],
  [
    'a refused field after the file',
    [
      ['file', file('small')],
      ['wrong', 'x'],
    ],
    /^wrong: is refused/,
    ['small'],
  ],
  [
    'a field that is too long',
    [
      ['first', 'x'.repeat(101)],
      ['file', file('small')],
    ],
    /^first: is too long/,
    [],
  ],
  ['a file of another name', [['other', file(large)]], /^other: the form may have only one file, named "file"/, []],
  [
    'a second file',
    [
      ['file', file('small')],
      ['file', file(large)],
    ],
    /^file: the form may have only one file/,
    ['small'],
  ],
  ['too many fields', ['a', 'b', 'c', 'd'].map((name) => [name, name]), /too many parts/, []],
] as const)('%s refuses the form at once, and what was received is discarded', async (_, parts, message, kept) => {
  const { received, discarded } = await read(parts.map(([name, value]) => [name ?? '', value ?? '']));
  expect(received).toMatch(message);
  expect(discarded).toEqual(kept);
});

test('a form that ends early is malformed, and nothing of it stays', async () => {
  expect(await read([['file', file(large)]], { cut: true })).toMatchObject({
    received: expect.stringMatching(/malformed or ended early/),
    discarded: [],
  });
});

test('a file that cannot be stored fails the form with its own error', async () => {
  const receive = (content: Readable) => {
    content.resume();
    return Promise.reject(new Error('the disk is full'));
  };
  expect(await read([['file', file(large)]], { receive })).toMatchObject({ received: 'the disk is full' });
});

test('an upload whose sender disconnects was interrupted', async () => {
  const { received } = await read([['file', file(large)]], { signal: AbortSignal.abort() });
  expect(received).toBe('The upload was interrupted.');
});
