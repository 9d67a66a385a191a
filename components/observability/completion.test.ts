import { expect, test } from 'vitest';
import { placeAt } from './completion';

test.each([
  ['{', 'label', 1],
  ['{ser', 'label', 1],
  ['{service="compute", le', 'label', 20],
  ['sum by (', 'label', 8],
  ['sum by (level, ser', 'label', 15],
  ['{service="', 'value service', 10],
  ['{service=~"com', 'value service', 11],
  ['{level!=`wa', 'value level', 9],
  ['{service="a"} | ', 'stage', 16],
  ['{service="a"} | js', 'stage', 16],
  ['{service="a"} |= "', 'nothing', 18],
  ['{service', 'label', 1],
  ['{service=', 'nothing', 9],
  ['ra', 'expression', 0],
  ['sum(ra', 'expression', 4],
  ['rate({service="a"}[5m', 'nothing', 20],
  ['{a="\\"}', 'value a', 4],
])('after %s, the completion offers: %s', (before, offered, from) => {
  const { place, from: found } = placeAt(before);
  expect([place.kind === 'value' ? `value ${place.label}` : place.kind, found]).toEqual([offered, from]);
});
