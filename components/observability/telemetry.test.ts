import { expect, test } from 'vitest';
import { kindOf, typeOptions } from '@/components/shell/places';
import { none } from '@/lib/core/domains/domain';
import { domains } from '@/lib/platform/domains';

test('resources have a tab for metrics if they have pages and report metrics', () => {
  const sampled = domains.flatMap(({ metrics }) => (metrics === none ? [] : Object.keys(metrics)));
  const shown = typeOptions.map(({ value }) => value).filter((type) => kindOf(type)?.telemetry?.metrics);
  expect(shown.length).toBeGreaterThan(0);
  expect(shown.toSorted()).toEqual(sampled.filter((type) => kindOf(type)?.type !== undefined).toSorted());
});
