import { History } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { formatQuantity } from '@/lib/format/quantity';
import { differences } from './limits';
import type { Quota } from './quota-dimensions';

interface ChangedMeanwhileProps {
  before: Quota;
  now: Quota;
  /** A change of the reader's own was refused for it. */
  refused: boolean;
  onTakeOver: () => void;
}

/** Someone else changed limits while they were being edited here: which, and how to go on without losing either. */
export function ChangedMeanwhile({ before, now, refused, onTakeOver }: ChangedMeanwhileProps) {
  return (
    <div role="alert" className="flex gap-3 rounded-lg border border-caution/50 bg-caution-soft p-4 text-sm">
      <History className="mt-0.5 size-4 shrink-0 text-caution-ink" aria-hidden="true" />
      <div className="min-w-0">
        <p className="font-medium">Someone changed these limits meanwhile</p>
        <p className="mt-0.5 text-pretty text-ink-muted">
          {refused ? 'So yours were not saved. ' : ''}What you typed stays in the form; the rest takes the present
          values.
        </p>
        <ul className="mt-2 space-y-0.5 tabular-nums">
          {differences(before, now).map(({ name, label, unit }) => (
            <li key={name}>
              {label}: {formatQuantity(before[name].limit, unit)} → {formatQuantity(now[name].limit, unit)}
            </li>
          ))}
        </ul>
        <Button size="sm" className="mt-3" onClick={onTakeOver}>
          Take the present limits over
        </Button>
      </div>
    </div>
  );
}
