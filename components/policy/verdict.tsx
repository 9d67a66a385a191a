import { ShieldCheck, ShieldX } from 'lucide-react';
import { Badge } from '@/components/kit/ui/badge';

interface VerdictProps {
  allowed: boolean;
  reason: string;
  matched: readonly string[];
}

/** The API's decision, its reason and the facts behind it. */
export function Verdict({ allowed, reason, matched }: VerdictProps) {
  const Icon = allowed ? ShieldCheck : ShieldX;
  return (
    <div
      role="status"
      className={
        allowed
          ? 'rounded-lg border border-positive/35 bg-positive-soft p-4'
          : 'rounded-lg border border-critical/35 bg-critical-soft p-4'
      }
    >
      <p className="flex items-center gap-2 font-semibold text-base">
        <Icon className={allowed ? 'size-5 text-positive-ink' : 'size-5 text-critical-ink'} aria-hidden="true" />
        {allowed ? 'Allowed' : 'Denied'}
      </p>
      <p className="mt-1 text-pretty text-sm">{reason}</p>
      <p className="mt-3 mb-1.5 text-ink-muted text-xs">Decided by</p>
      <ul className="flex flex-wrap gap-1.5">
        {matched.map((fact) => (
          <li key={fact}>
            <Badge tone="neutral">
              <span className="font-mono">{fact}</span>
            </Badge>
          </li>
        ))}
      </ul>
    </div>
  );
}
