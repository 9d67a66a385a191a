import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reasonOf } from './connection';

test('each reason that the server closes a console for is told in words of its own', () => {
  const source = readFileSync(new URL('../../lib/domains/compute/console-bridge.ts', import.meta.url), 'utf8');
  const declared = /export const closed = \{([^}]*)\}/.exec(source)?.[1] ?? '';
  const codes = [...declared.matchAll(/\d+/g)].map(([code]) => Number(code));
  expect(codes.length).toBeGreaterThan(0);
  const told = codes.map(reasonOf);
  expect(new Set([...told, reasonOf(1006)]).size).toBe(codes.length + 1);
});
