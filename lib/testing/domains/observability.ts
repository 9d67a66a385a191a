import { newId } from '@/lib/core/db/id';
import type { DomainTesting } from '../fixture';

export const observabilityTesting: DomainTesting = {
  // Labels belong to no project: a name that no label can have stands for another tenant's.
  fixtures: { '/observability/loki/api/v1/label/{name}/values': async () => ({ name: newId() }) },
};
