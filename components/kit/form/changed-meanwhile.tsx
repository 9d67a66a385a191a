import { History } from 'lucide-react';
import { Button } from '@/components/kit/ui/button';

interface ChangedMeanwhileProps {
  /** What is edited: "budget". */
  what: string;
  /** It is several things. */
  several?: boolean;
  /** What the other change did, as people read it. */
  differences: readonly { name: string; before: string; now: string }[];
  /** A change of the reader's own was refused for it. */
  refused: boolean;
  onTakeOver: () => void;
}

/** Someone else changed what is edited here: how, and how to go on without losing either. */
export function ChangedMeanwhile({ what, several = false, differences, refused, onTakeOver }: ChangedMeanwhileProps) {
  return (
    <div role="alert" className="flex gap-3 rounded-lg border border-caution/50 bg-caution-soft p-4 text-sm">
      <History className="mt-0.5 size-4 shrink-0 text-caution-ink" aria-hidden="true" />
      <div className="min-w-0">
        <p className="font-medium">
          The {what} {several ? 'have' : 'has'} changed
        </p>
        <p className="mt-0.5 text-pretty text-ink-muted">
          {refused ? 'Your changes were not saved. ' : ''}Values you edited are kept; all others are updated.
        </p>
        <ul className="mt-2 space-y-0.5 break-words tabular-nums">
          {differences.map(({ name, before, now }) => (
            <li key={name}>
              {name}: {before} → {now}
            </li>
          ))}
        </ul>
        <Button size="sm" className="mt-3" onClick={onTakeOver}>
          Load current {what}
        </Button>
      </div>
    </div>
  );
}
