import { expect, test } from 'vitest';
import { nextCursor } from './list';

test.each([
  ['<https://cloud.example/api/v1/vault/secrets?limit=50&cursor=abc>; rel="next"', 'abc'],
  ['</api/v1/vault/secrets?cursor=a%2Bb>; rel=next', 'a+b'],
  ['</first>; rel="prev", </api/v1/x?cursor=second>; title="more"; rel="next"', 'second'],
  ['</api/v1/vault/secrets?cursor=abc>; rel="prev"', undefined],
  [null, undefined],
])('the next page is found in %s', (link, cursor) => {
  expect(nextCursor(link)).toBe(cursor);
});
