import { none } from '@/lib/core/domains/portal';
import type { DomainTesting } from '../fixture';

export const observabilityTesting: DomainTesting = { fixtures: none };
