import type { Row } from '@/lib/client/list';
import { billedWhileRunning } from '@/lib/domains/compute/billed';
import { formatCount } from '@/lib/format/quantity';
import { formatGigabytes } from '@/lib/format/size';
import type { Pricing } from '@/lib/money/billing/schema';
import { budgetImpact, quote, type Spend } from '@/lib/money/pricing/quote';

export type Flavor = Pick<
  Row<'/api/v1/compute/flavors'>,
  'id' | 'name' | 'vcpus' | 'ram_gb' | 'disk_gb' | 'gpu_slices'
>;

/** The families of the catalogue by the beginning of their names: `memory-large`. */
const families: Readonly<Record<string, string>> = {
  compute: 'Compute-optimized',
  memory: 'Memory-optimized',
  gpu: 'GPU',
};
const GENERAL = 'General purpose';

/** The family of a flavor. */
export function familyOf({ name }: Pick<Flavor, 'name'>): string {
  return families[name.split('-')[0] ?? ''] ?? GENERAL;
}

/** Flavors by family, in the order of the catalogue. */
export function byFamily<F extends Pick<Flavor, 'name'>>(flavors: readonly F[]): Map<string, F[]> {
  const found = new Map<string, F[]>();
  for (const flavor of flavors) found.set(familyOf(flavor), [...(found.get(familyOf(flavor)) ?? []), flavor]);
  return found;
}

type Available = { available: number };

/** The limits that one more instance has to fit; undefined until they are loaded. */
export interface Limits {
  quota: Record<'instances' | 'vcpus' | 'ram_gb', Available> | undefined;
  pricing: Pricing | undefined;
  overview: Spend | undefined;
}

/** Why one more instance of a flavor exceeds the quota or this month's budget; undefined if it fits. */
export function exceeded(flavor: Flavor, { quota, pricing, overview }: Limits): string | undefined {
  if (quota) {
    const { instances, vcpus, ram_gb } = quota;
    if (instances.available < 1) return 'Exceeds the quota: no more instances.';
    if (vcpus.available < flavor.vcpus) return `Exceeds the quota: ${formatCount(left(vcpus), 'vCPU')} left.`;
    if (ram_gb.available < flavor.ram_gb) return `Exceeds the quota: ${formatGigabytes(left(ram_gb))} of memory left.`;
  }
  if (!pricing || !overview) return undefined;
  // A budget without a freeze only warns.
  const { freezes, reached } = budgetImpact(quote(pricing, billedWhileRunning(flavor)), overview);
  return freezes && reached.after !== null ? 'Exceeds this month’s budget.' : undefined;
}

/** A limit set below the current use leaves nothing. */
function left({ available }: Available): number {
  return Math.max(0, available);
}
