import { expect, test } from 'vitest';
import { coversHost, isDnsName } from './names';

test.each([
  [['shop.example.com'], 'shop.example.com', true],
  [['shop.example.com'], 'SHOP.example.com', true],
  [['shop.example.com'], 'www.shop.example.com', false],
  [['*.example.com'], 'shop.example.com', true],
  [['*.example.com'], 'a.shop.example.com', false],
  [['*.example.com'], 'example.com', false],
  [['*.example.com'], 'notexample.com', false],
  [['*.localhost'], 'localhost', false],
  [[], 'example.com', false],
])('names %j cover host %s: %s', (names, host, covers) => {
  expect(coversHost(names, host)).toBe(covers);
});

test.each(['a.example.com', '*.example.com', 'localhost', '_x.example.com'])('%s is a name', (name) => {
  expect(isDnsName(name)).toBe(true);
});

test.each(['', '*', 'a.*.com', '**.com', 'a..b', '-a.com', 'a-.com', 'a b.com', 'A.com', `${'a'.repeat(64)}.com`])(
  '%j is no name',
  (name) => {
    expect(isDnsName(name)).toBe(false);
  },
);
