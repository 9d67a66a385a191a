import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { functionMetrics } from '@/lib/domains/functions/metrics';

test('pages of functions ask for metrics that functions report, and no other', () => {
  const pages = readdirSync(import.meta.dirname).filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'));
  const asked = pages.flatMap((file) =>
    [...readFileSync(`${import.meta.dirname}/${file}`, 'utf8').matchAll(/nephele_function_\w+/g)].map(([name]) => name),
  );
  const reported = functionMetrics.map(({ name }) => name);
  expect(asked.length).toBeGreaterThan(5);
  expect([...new Set(asked)].filter((name) => !reported.includes(name))).toEqual([]);
});
