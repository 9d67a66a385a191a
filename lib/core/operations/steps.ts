import type { Sql } from '@/lib/core/db/sql';
import type { Claim } from '@/lib/core/quota/commit';
import type { Need } from '@/lib/core/quota/needs';
import type { NewOperation } from './enqueue';
import type { OperationKind, PlatformOperationKind } from './kind';

/** Names of the transition's own statements, reserved in a step's rows. */
type TransitionPart =
  | 'k'
  | 'held'
  | 'verdict'
  | 'moved'
  | 'logged'
  | 'hinted'
  | 'operation'
  | 'audited'
  | 'account'
  | 'locked_router'
  | 'locked_cells'
  | 'claimed'
  | 'charged'
  | 'parent'
  | 'closed'
  | 'woken'
  | 'released'
  | 'given_back'
  | 'needed'
  | 'demand';

/** Rows that a step writes atomically with its transition. */
export type StepWrite = {
  /**
   * Statements by name, each depending on `ifAdmitted`, which holds only while the lease does. As in a `commit`, the
   * project's row is locked first and its values are in `k`.
   */
  rows?: Record<string, Sql> & { readonly [Name in TransitionPart]?: never };
  /**
   * Reservations that the step makes or releases in cells. Without room nothing is written and the stage runs again
   * later; meanwhile the operation waits for `waits_for`.
   */
  needs?: readonly Need[];
  /** Releases the resource's quota and its reservations (`true`), or these amounts of quota. */
  release?: true | readonly Claim[];
  /**
   * Child operations by a name unique in this operation. Each is started once, however often the step runs. A child
   * must work on a different resource than its ancestors.
   */
  children?: Record<string, NewOperation>;
  /** A line for the operation's log. */
  log?: string;
  /**
   * With `again` or `needs`: the reason for waiting, in words for a person. Open pages get a hint when it changes, and
   * the message of a missed deadline includes it.
   */
  waits_for?: string;
};

/** The result of a step. Created by `goTo`, `again`, `underWay`, `waitForChildren`, `done` and `failure`. */
export type Outcome<Stage extends string> =
  | { readonly end: 'stage'; readonly stage: Stage; readonly write: StepWrite }
  | { readonly end: 'again'; readonly after_ms: number; readonly write: StepWrite; readonly attempts?: 'kept' }
  | { readonly end: 'children'; readonly write: StepWrite }
  | { readonly end: 'done'; readonly write: StepWrite }
  | { readonly end: 'failure'; readonly reason: string; readonly write: StepWrite };

/** The stage is complete; continue with `stage` at once. */
export function goTo<const Stage extends string>(stage: Stage, write: StepWrite = {}) {
  return { end: 'stage', stage, write } as const;
}

/** Not ready yet: run the same stage again after this time. */
export function again(after_ms: number, write: StepWrite = {}) {
  return { end: 'again', after_ms, write } as const;
}

/**
 * The engine continues what the step has started: run the same stage again after this time. Earlier failures of the stage
 * still count, because waiting is not a success.
 */
export function underWay(
  { again_ms, waits_for }: { readonly again_ms: number; readonly waits_for: string },
  write: Omit<StepWrite, 'waits_for'> = {},
) {
  return { end: 'again', after_ms: again_ms, write: { ...write, waits_for }, attempts: 'kept' } as const;
}

/**
 * Run the same stage again when a child ends. Until then the operation has no lease and its deadline is paused. Used
 * through `withChildren`.
 */
export function waitForChildren(write: StepWrite = {}) {
  return { end: 'children', write } as const;
}

/** The operation is complete. */
export function done(write: StepWrite = {}) {
  return { end: 'done', write } as const;
}

/** The operation cannot succeed and is not retried; `reason` is shown to the resource's owner. */
export function failure(reason: string, write: StepWrite = {}) {
  return { end: 'failure', reason, write } as const;
}

/** The operation, as seen by a step. */
export type OperationFacts = {
  readonly id: string;
  readonly project_id: string | null;
  readonly kind: string;
  readonly resource_type: string;
  readonly resource_id: string;
  readonly stage: string;
  /** Failures of this stage in a row. */
  readonly attempts: number;
  readonly request_id: string | null;
  /** null: uses no engine. */
  readonly cell_id: string | null;
  readonly created_at: Date;
};

export type Step<Input> = {
  readonly operation: OperationFacts;
  readonly input: Input;
  /**
   * Aborts when the step must stop: a delete came, the deadline passed, the lease was lost, or the worker stops. Pass
   * it to anything slow; the step's result is ignored afterwards.
   */
  readonly signal: AbortSignal;
};

/** A step that uses the engines of its cell. */
export type CellStep<Input> = Step<Input> & { readonly cell: string };

/** The steps of an operation kind as a worker runs them, with types erased. */
export type OperationSteps = {
  readonly kind: string;
  readonly concurrency: number;
  run(step: Step<unknown>): Promise<Outcome<string>>;
  failed(step: Step<unknown>, reason: string): Promise<Outcome<string>>;
};

/** A function for each stage. */
type Stages<Stage extends string, This> = { [Name in Stage]: (step: This) => Promise<Outcome<Stage>> };

type StepOptions<This> = {
  /**
   * Runs after the deadline or a `failure`; must be idempotent. Puts the resource into `error` with the reason, and
   * releases its quota if nothing exists. Ends with `done`, or with `again` or `waitForChildren` while it must wait.
   */
  failed: (step: This, reason: string) => Promise<Exclude<Outcome<never>, { end: 'stage' | 'failure' }>>;
  /** The maximum of this kind that a worker runs at once; default: the worker's own limit. */
  concurrency?: number;
};

/**
 * The steps of an operation kind, one function per stage. Each is idempotent ("ensure disk"): after a crash at any
 * point it runs again. If a step throws, it is retried with growing pauses until the deadline.
 */
export function operationSteps<Stage extends string, Input>(
  kind: OperationKind<Stage, Input>,
  stages: Stages<Stage, CellStep<Input>>,
  options: StepOptions<CellStep<Input>>,
): OperationSteps {
  return erased(kind, stages, options, (step) => ({
    ...step,
    input: kind.input.parse(step.input),
    cell: cellOf(step.operation),
  }));
}

/** The steps of an operation kind that uses no engine. */
export function platformOperationSteps<Stage extends string, Input>(
  kind: PlatformOperationKind<Stage, Input>,
  stages: Stages<Stage, Step<Input>>,
  options: StepOptions<Step<Input>>,
): OperationSteps {
  return erased(kind, stages, options, (step) => ({ ...step, input: kind.input.parse(step.input) }));
}

function cellOf({ kind, cell_id }: OperationFacts): string {
  if (cell_id === null) throw new Error(`${kind} was ordered without a cell`);
  return cell_id;
}

function erased<Stage extends string, This>(
  kind: { readonly kind: string; readonly stages: readonly Stage[] },
  stages: Stages<Stage, This>,
  options: StepOptions<This>,
  parsed: (step: Step<unknown>) => This,
): OperationSteps {
  const find = (name: string) => kind.stages.find((stage) => stage === name);
  return {
    kind: kind.kind,
    concurrency: options.concurrency ?? Number.POSITIVE_INFINITY,
    async run(step) {
      const stage = find(step.operation.stage);
      if (!stage) throw new Error(`${kind.kind} has no stage ${step.operation.stage}`);
      return stages[stage](parsed(step));
    },
    failed: async (step, reason) => options.failed(parsed(step), reason),
  };
}
