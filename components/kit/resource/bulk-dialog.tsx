'use client';

import { CircleAlert, CircleCheck, CircleDashed, LoaderCircle } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { Button } from '@/components/kit/ui/button';
import { Dialog } from '@/components/kit/ui/dialog';
import { Input } from '@/components/kit/ui/input';
import { ApiError } from '@/lib/client/errors';
import { formatCount } from '@/lib/format/quantity';
import { type BulkAction, type BulkStep, runSteps, type StepState } from './bulk';

interface BulkDialogProps {
  action: BulkAction;
  noun: string;
  nouns: string;
  /** @param done whether nothing is left to retry */
  close: (done: boolean) => void;
  /** Moves the focus to the list, whose rows may be gone. */
  moveFocus: () => void;
}

/** Confirms an action on several rows unless it is harmless, then runs it on each and shows the progress. */
export function BulkDialog({ action, noun, nouns, close, moveFocus }: BulkDialogProps) {
  const { label, several, steps } = action;
  const [states, setStates] = useState<ReadonlyMap<string, StepState>>(new Map());
  const [running, setRunning] = useState(false);
  const things = formatCount(steps.length, noun, nouns);
  const what = several?.(things) ?? `${label} ${things}`;
  const started = states.size > 0;
  const failed = steps.filter(({ id }) => states.get(id)?.at === 'failed');
  const run = async (some: readonly BulkStep[]) => {
    setRunning(true);
    await runSteps(some, (id, state) => setStates((before) => new Map(before).set(id, state)));
    setRunning(false);
  };
  const leave = () => close(started && failed.length === 0);
  const harmless = useRef(action.harmless);
  useEffect(() => {
    // Once, also where effects run twice.
    if (!harmless.current) return;
    harmless.current = false;
    void run(steps);
  });
  const isOver = action.harmless && started && !running && steps.every(({ id }) => states.get(id)?.at === 'done');
  useEffect(() => {
    if (isOver) close(true);
  }, [isOver, close]);
  return (
    <Dialog
      open
      // Closing would hide running calls.
      onOpenChange={(open) => !open && !running && leave()}
      moveFocus={started ? moveFocus : undefined}
      title={started || action.harmless ? what : `${what}?`}
    >
      {started || action.harmless ? (
        <Progress steps={steps} states={states} />
      ) : (
        <Question action={action} what={what} confirm={() => void run(steps)} cancel={leave} />
      )}
      {started && (
        <div className="mt-5 flex justify-end gap-2">
          {failed.length > 0 && !running && (
            <Button onClick={() => void run(failed)}>Retry {formatCount(failed.length, noun, nouns)}</Button>
          )}
          <Button variant="primary" pending={running} onClick={leave}>
            Done
          </Button>
        </div>
      )}
    </Dialog>
  );
}

interface QuestionProps {
  action: BulkAction;
  /** The action in words: "Delete 2 volumes". */
  what: string;
  confirm: () => void;
  cancel: () => void;
}

function Question({ action: { steps, danger = false, typed }, what, confirm, cancel }: QuestionProps) {
  const [text, setText] = useState('');
  const field = useId();
  const needed = what.toLowerCase();
  const ready = !typed || text === needed;
  // A consequence that all rows share is shown once.
  const [first] = steps;
  const same = steps.every(({ consequence }) => consequence === first?.consequence);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) confirm();
      }}
    >
      <ul className="max-h-60 list-disc space-y-1 overflow-y-auto pl-5 text-sm">
        {steps.map(({ id, name, consequence }) => (
          <li key={id} className="break-words">
            <span className="font-medium">{name}</span>
            {!same && <div className="text-ink-muted">{consequence}</div>}
          </li>
        ))}
      </ul>
      {same && first?.consequence !== undefined && (
        <div className="mt-3 text-pretty text-ink-muted text-sm">For each: {first.consequence}</div>
      )}
      {typed && (
        <div className="mt-4 space-y-1.5">
          <label htmlFor={field} className="text-sm">
            Enter <strong className="select-all font-mono font-medium text-xs">{needed}</strong> to confirm
          </label>
          <Input
            id={field}
            data-autofocus=""
            value={text}
            onChange={(event) => setText(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
        </div>
      )}
      <div className="mt-5 flex justify-end gap-2">
        <Button onClick={cancel}>Cancel</Button>
        <Button type="submit" variant={danger ? 'danger' : 'primary'} disabled={!ready}>
          {what}
        </Button>
      </div>
    </form>
  );
}

const looks = {
  waiting: { icon: CircleDashed, label: 'Waiting', className: 'text-ink-subtle' },
  running: { icon: LoaderCircle, label: 'In progress', className: 'animate-spin text-moving' },
  done: { icon: CircleCheck, label: 'Done', className: 'text-positive' },
  failed: { icon: CircleAlert, label: 'Failed', className: 'text-critical' },
} as const;

interface ProgressProps {
  steps: readonly BulkStep[];
  states: ReadonlyMap<string, StepState>;
}

function Progress({ steps, states }: ProgressProps) {
  const count = (at: StepState['at']) => steps.filter(({ id }) => states.get(id)?.at === at).length;
  const failed = count('failed');
  return (
    <>
      <p role="status" className="mb-3 text-ink-muted text-sm tabular-nums">
        {count('done')} of {steps.length} done{failed > 0 && `, ${failed} failed`}
      </p>
      <ul aria-label="Progress" className="max-h-80 divide-y overflow-y-auto text-sm">
        {steps.map(({ id, name }) => {
          const state = states.get(id) ?? { at: 'waiting' };
          const { icon: Icon, label, className } = looks[state.at];
          return (
            <li key={id} className="flex items-start gap-2.5 py-2">
              <Icon className={`mt-0.5 size-4 shrink-0 ${className}`} aria-hidden="true" />
              <span className="min-w-0 flex-1 break-words">
                <span className="font-medium">{name}</span>
                {state.at === 'failed' && <span className="block text-critical-ink">{reasonOf(state.error)}</span>}
              </span>
              <span className="text-ink-muted text-xs">{label}</span>
            </li>
          );
        })}
      </ul>
    </>
  );
}

function reasonOf(error: unknown): string {
  return error instanceof ApiError ? error.message : 'An unexpected error occurred. Try again.';
}
