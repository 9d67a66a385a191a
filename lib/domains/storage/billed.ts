import type { Use } from '@/lib/money/metering/use';

/** What so many GB of volumes or snapshots are billed for. */
export const billedStorage = (gigabytes: number, label: string): Use[] => [
  { metric: 'block_storage', quantity: gigabytes, label },
];
