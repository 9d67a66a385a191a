import { expect, test } from 'vitest';
import { gramFilter, gramsOf } from './gram-filter';

const mayHave = (filter: Buffer, text: string) =>
  gramsOf(Buffer.from(text)).every(({ hash, isWord }) => {
    const bits = filter.length * 8;
    const words = Math.floor(bits / 5);
    const bit = isWord ? hash % words : words + (hash % (bits - words));
    return ((filter[bit >>> 3] ?? 0) >>> (bit & 7)) % 2 === 1;
  });

/** Numbers from 0 to `below`, the same in every run. */
function numbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test('a filter never leaves out a text that has the words', () => {
  const next = numbers(7);
  const letters = [...'abcdefghij 0123456789-{}":\n', 'ä', '€', '😀', '\0'];
  for (let round = 0; round < 300; round += 1) {
    const text = Array.from({ length: 1 + next(600) }, () => letters[next(letters.length)]).join('');
    const filter = gramFilter(Buffer.from(text));
    const characters = [...text];
    for (let word = 0; word < 20; word += 1) {
      const start = next(characters.length);
      const part = characters.slice(start, start + 1 + next(40)).join('');
      expect(mayHave(filter, part), JSON.stringify({ text, part })).toBe(true);
    }
  }
});

test('a filter has no room for all IDs of a chunk, and still leaves out most IDs and words that are not there', () => {
  const next = numbers(11);
  const id = () =>
    Array.from({ length: 4 }, () =>
      next(2 ** 32)
        .toString(16)
        .padStart(8, '0'),
    ).join('-');
  const lines = Array.from(
    { length: 1000 },
    (_, line) =>
      `{"second":${line % 60},"level":"info","path":"/api/v1/instances","status":200,"request_id":"${id()}"}`,
  );
  const text = Buffer.from(lines.join('\n'));
  const filter = gramFilter(text);
  expect(filter.length / text.length).toBeLessThan(0.014);
  const others = Array.from({ length: 500 }, id);
  expect(others.filter((other) => mayHave(filter, other)).length).toBeLessThan(50);
  const words = [
    'timeout',
    'panic',
    'refused',
    'killed',
    'deadlock',
    'exception',
    'denied',
    'expired',
    'kernel',
    'quorum',
  ];
  expect(words.filter((word) => mayHave(filter, word)).length).toBeLessThan(2);
});

test('a text shorter than a gram asks for nothing, and a long one for few grams', () => {
  expect(gramsOf(Buffer.from('abc'))).toEqual([]);
  expect(gramsOf(Buffer.from('ab\ncde'))).toEqual([]);
  expect(gramsOf(Buffer.from('x'.repeat(1000)))).toHaveLength(1);
  expect(gramsOf(Buffer.from(Array.from({ length: 999 }, (_, index) => `${index} `).join(''))).length).toBeLessThan(33);
});
