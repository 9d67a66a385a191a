import { Money } from '@/components/kit/data/amounts';

/** An amount in a table: nothing is a dash, so that what is something stands out. */
export function Amount({ usd }: { usd: number | null }) {
  if (usd === null || usd === 0) return <span className="text-ink-subtle">–</span>;
  return <Money usd={usd} />;
}
