'use client';

import { X } from 'lucide-react';
import { useState } from 'react';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { Button } from '@/components/kit/ui/button';
import { formatCount } from '@/lib/format/quantity';
import { type BulkAction, type SelectedRow, sharedActions } from './bulk';
import { BulkDialog } from './bulk-dialog';

interface BulkBarProps {
  rows: readonly SelectedRow[];
  noun: string;
  nouns: string;
  clear: () => void;
  /** The place of the first selected row in the list. */
  place: number;
  focusRow: (place: number) => void;
}

/** What can be done with all selected rows. It stays while its dialog is open, also when the rows are gone. */
export function BulkBar({ rows, noun, nouns, clear, place, focusRow }: BulkBarProps) {
  const [job, setJob] = useState<{ action: BulkAction; place: number }>();
  const actions = sharedActions(rows);
  return (
    <>
      {rows.length > 0 && (
        <section
          aria-label={`Actions for selected ${nouns}`}
          className="sticky bottom-4 z-20 mx-auto mt-3 flex w-fit max-w-full flex-wrap items-center gap-2 rounded-lg border bg-raised px-3 py-2 shadow-raised"
        >
          <p role="status" className="px-1 font-medium text-sm tabular-nums">
            {formatCount(rows.length, noun, nouns)} selected
          </p>
          {actions.length === 0 && <p className="px-1 text-ink-muted text-sm">No action applies to all of them.</p>}
          {actions.map((action) => {
            const { label, icon: Icon, danger = false, disabledReason } = action;
            return (
              <DisabledReason key={label} reason={disabledReason}>
                <Button size="sm" variant={danger ? 'danger' : 'secondary'} onClick={() => setJob({ action, place })}>
                  {Icon && <Icon aria-hidden="true" />} {label}
                </Button>
              </DisabledReason>
            );
          })}
          <Button size="sm" variant="quiet" onClick={clear}>
            <X aria-hidden="true" /> Clear selection
          </Button>
        </section>
      )}
      {job && (
        <BulkDialog
          action={job.action}
          moveFocus={() => focusRow(job.place)}
          noun={noun}
          nouns={nouns}
          close={(done) => {
            setJob(undefined);
            if (done) clear();
          }}
        />
      )}
    </>
  );
}
