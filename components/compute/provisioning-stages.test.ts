import { expect, test } from 'vitest';
import { createKind, rebuildKind } from '@/lib/domains/compute/operations';
import { provisioningStages } from './provisioning-stages';

test('the stages that a page shows are those that the platform goes through, in their order', () => {
  expect(createKind.stages).toEqual(provisioningStages);
  expect(rebuildKind.stages).toEqual(provisioningStages);
});
