import type { Sql } from '@/lib/core/db/sql';
import type { Claim } from '@/lib/core/quota/commit';
import type { Need } from '@/lib/core/quota/needs';
import type { NewOperation } from './enqueue';
import type { OperationKind, PlatformOperationKind } from './kind';

/** Names of the transition's own statements, which a step's rows cannot have too. */
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

/** What a step writes together with its transition, all of it or nothing. */
export type StepWrite = {
  /**
   * Statements by name, each hanging on `ifAdmitted`, which holds only while the lease does. As in a `commit`, the
   * project's row is locked first and its values are in `k`.
   */
  rows?: Record<string, Sql> & { readonly [Name in TransitionPart]?: never };
  /**
   * Room that the step takes in cells, or gives back. Without it nothing of the write is done, and the operation runs the
   * same stage again later; until then it waits for `waits_for`.
   */
  needs?: readonly Need[];
  /** Gives back what the resource holds of the quota, with its room in cells: all of it, or these amounts of the quota. */
  release?: true | readonly Claim[];
  /**
   * Operations to start, by a name that is theirs in this operation: each is started once, however often the step runs.
   * A child works on another resource than its parent, and than what its parent is a child of.
   */
  children?: Record<string, NewOperation>;
  /** A line for the operation's log. */
  log?: string;
  /**
   * With `again` or `needs`: what it waits for, in words for a person. Open pages hear of it when it is news, and a missed deadline
   * names it.
   */
  waits_for?: string;
};

/** How a step ends. Made by `goTo`, `again`, `underWay`, `waitForChildren`, `done` and `failure`. */
export type Outcome<Stage extends string> =
  | { readonly end: 'stage'; readonly stage: Stage; readonly write: StepWrite }
  | { readonly end: 'again'; readonly after_ms: number; readonly write: StepWrite; readonly attempts?: 'kept' }
  | { readonly end: 'children'; readonly write: StepWrite }
  | { readonly end: 'done'; readonly write: StepWrite }
  | { readonly end: 'failure'; readonly reason: string; readonly write: StepWrite };

/** The stage is complete; `stage` comes next, at once. */
export function goTo<const Stage extends string>(stage: Stage, write: StepWrite = {}) {
  return { end: 'stage', stage, write } as const;
}

/** What the stage waits for has not come yet: the same stage again, after so long. */
export function again(after_ms: number, write: StepWrite = {}) {
  return { end: 'again', after_ms, write } as const;
}

/**
 * What the step began goes on without it: the same stage again, after so long. If that has failed then, it counts as
 * another failure in a row, because the waiting between two failures was no success.
 */
export function underWay(after_ms: number, waits_for: string) {
  return { end: 'again', after_ms, write: { waits_for }, attempts: 'kept' } as const;
}

/**
 * The same stage again when a child ends, without a lease meanwhile; time until then does not count for the deadline.
 * `withChildren` says when.
 */
export function waitForChildren(write: StepWrite = {}) {
  return { end: 'children', write } as const;
}

/** The operation is complete. */
export function done(write: StepWrite = {}) {
  return { end: 'done', write } as const;
}

/** It can never succeed, so trying again is of no use; `reason` is for the person who owns the resource. */
export function failure(reason: string, write: StepWrite = {}) {
  return { end: 'failure', reason, write } as const;
}

/** The operation as a step sees it. */
export type OperationFacts = {
  readonly id: string;
  readonly project_id: string | null;
  readonly kind: string;
  readonly resource_type: string;
  readonly resource_id: string;
  readonly stage: string;
  /** How often this stage has failed in a row. */
  readonly attempts: number;
  readonly request_id: string | null;
  /** null: it touches no engine. */
  readonly cell_id: string | null;
  readonly created_at: Date;
};

export type Step<Input> = {
  readonly operation: OperationFacts;
  readonly input: Input;
  /**
   * Aborts when the step must end early: a delete came, the deadline passed, the lease was lost, the worker stops. Pass
   * it on to whatever takes long; what the step then gives or throws does not matter.
   */
  readonly signal: AbortSignal;
};

/** A step that works with the engines of its cell. */
export type CellStep<Input> = Step<Input> & { readonly cell: string };

/** The steps of a kind, its types erased: what a worker runs. */
export type OperationSteps = {
  readonly kind: string;
  readonly concurrency: number;
  run(step: Step<unknown>): Promise<Outcome<string>>;
  failed(step: Step<unknown>, reason: string): Promise<Outcome<string>>;
};

/** One function for each stage. */
type Stages<Stage extends string, This> = { [Name in Stage]: (step: This) => Promise<Outcome<Stage>> };

type StepOptions<This> = {
  /**
   * Runs after the deadline or a `failure`, idempotent as well: puts the resource into `error` with the reason, and
   * releases its quota where nothing exists. It ends in `done`, or in `again` or `waitForChildren` while it must wait.
   */
  failed: (step: This, reason: string) => Promise<Exclude<Outcome<never>, { end: 'stage' | 'failure' }>>;
  /** How many of this kind a worker runs at once; absent: as many as it runs at all. */
  concurrency?: number;
};

/**
 * The steps of a kind, one function a stage. Each is idempotent ("ensure disk"): it may run again after a crash at any
 * point of it. An error that it throws is tried again, after ever longer pauses, until the deadline.
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

/** The steps of a kind that touches no engine. */
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
