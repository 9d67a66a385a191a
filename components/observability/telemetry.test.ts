import { expect, test } from 'vitest';
import * as compute from '@/components/compute/domain';
import type { ResourceKind } from '@/components/kit/page/navigation';
import * as network from '@/components/network/domain';
import * as storage from '@/components/storage/domain';
import { none } from '@/lib/core/domains/domain';
import { domains } from '@/lib/platform/domains';

test('every type of resource that reports metrics has a tab for them', () => {
  const kinds: readonly Partial<ResourceKind>[] = [compute, network, storage].flatMap((domain) =>
    Object.values(domain),
  );
  const sampled = domains.flatMap(({ metrics }) => (metrics === none ? [] : Object.keys(metrics)));
  const shown = kinds.flatMap(({ type, telemetry }) => (telemetry?.metrics ? [type] : []));
  expect(sampled.length).toBeGreaterThan(0);
  expect(shown.toSorted()).toEqual(sampled.toSorted());
});
