import type { ReactNode } from 'react';
import type { Action } from '@/components/kit/table/row-actions';

/** A selected row. */
export interface SelectedRow {
  id: string;
  name: string;
  actions: readonly Action[];
}

/** An action on one row. */
export interface BulkStep {
  id: string;
  name: string;
  /** The consequence, shown in the confirmation. */
  consequence: ReactNode;
  run: () => Promise<unknown>;
}

/** An action that all selected rows have. */
export interface BulkAction
  extends Pick<Action, 'label' | 'several' | 'harmless' | 'icon' | 'danger' | 'disabledReason'> {
  steps: readonly BulkStep[];
  /** Destroys what cannot be restored. */
  typed: boolean;
}

/** Whether several rows can be selected for an action. */
export function isForSeveral({ run, confirmation }: Action): boolean {
  return run !== undefined || confirmation !== undefined;
}

/** The actions that all rows have, disabled where a row does not allow one. */
export function sharedActions(rows: readonly SelectedRow[]): BulkAction[] {
  const [first, ...others] = rows;
  if (!first) return [];
  return first.actions.filter(isForSeveral).flatMap(({ label, several, harmless, icon, danger }) => {
    const each = rows.flatMap((row) =>
      row.actions.filter((action) => action.label === label).map((action) => ({ row, action })),
    );
    if (each.length !== others.length + 1) return [];
    const steps = each.flatMap(({ row: { id, name }, action: { run, confirmation } }) => {
      const call = run ?? confirmation?.onConfirm;
      return call ? [{ id, name, consequence: confirmation?.consequence, run: call }] : [];
    });
    const disabledReason = refusalOf(each);
    const typed = each.some(({ action }) => action.confirmation?.typeToConfirm !== undefined);
    return [
      {
        label,
        ...(several && { several }),
        ...(harmless && { harmless }),
        ...(icon && { icon }),
        ...(danger && { danger }),
        disabledReason,
        steps,
        typed,
      },
    ];
  });
}

/** The reason of the first row that does not allow the action, and how many others do not. */
function refusalOf(each: readonly { row: SelectedRow; action: Action }[]): string | undefined {
  const refused = each.filter(({ action }) => action.disabledReason !== undefined);
  const [first] = refused;
  if (!first) return undefined;
  const { disabledReason } = first.action;
  if (refused.length === each.length && refused.every(({ action }) => action.disabledReason === disabledReason))
    return disabledReason;
  const more = refused.length > 1 ? ` (and ${refused.length - 1} more)` : '';
  return `${first.row.name}${more}: ${disabledReason}`;
}

/** How far a row is; `failed` carries the error of its call. */
export type StepState = { at: 'waiting' | 'running' | 'done' } | { at: 'failed'; error: unknown };

/**
 * Calls in progress at a time. A browser opens six connections to a server over HTTP/1.1: one holds the event stream, and
 * one stays free for reads of the page.
 */
const AT_ONCE = 4;

/** Runs each step, a few at a time. A step that fails stops no other. */
export async function runSteps(
  steps: readonly BulkStep[],
  tell: (id: string, state: StepState) => void,
  atOnce = AT_ONCE,
): Promise<void> {
  const waiting = [...steps];
  for (const { id } of steps) tell(id, { at: 'waiting' });
  const work = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      const { id, run } = step;
      tell(id, { at: 'running' });
      await run().then(
        () => tell(id, { at: 'done' }),
        (error: unknown) => tell(id, { at: 'failed', error }),
      );
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
