import type { z } from 'zod';
import type { Prisma } from '@/lib/core/db/generated/client';
import type { NewOperation } from './enqueue';

/** A kind of operation on a resource, as the API orders it and workers run it. */
export type OperationKind<Stage extends string, Input> = {
  /** Resource and action: `instance.create`. */
  readonly kind: string;
  readonly scope: 'cell';
  readonly resource_type: string;
  /** The names of its stages, the first one first. */
  readonly stages: readonly [Stage, ...Stage[]];
  readonly input: z.ZodType<Input>;
  /** An operation for the `operation` of a `commit`. Only the worker of this cell runs it. */
  start(resourceId: string, input: Input, place: { cell_id: string }): NewOperation;
};

/** A kind of operation that uses no engine: any worker can run it. */
export type PlatformOperationKind<Stage extends string, Input> = Omit<
  OperationKind<Stage, Input>,
  'scope' | 'start'
> & {
  readonly scope: 'platform';
  start(resourceId: string, input: Input): NewOperation;
};

type Definition<Stage extends string, Input> = {
  kind: string;
  resource_type: string;
  stages: readonly [Stage, ...Stage[]];
  /** Input of its steps beyond the resource's rows: small, and never secret. */
  input: z.ZodType<Input>;
  /** It fails after this time. */
  deadline_ms: number;
  /** For deletes: cancels other unfinished operations of the resource. */
  supersedes?: boolean;
};

/**
 * Declares a kind of operation. Its steps are in a separate file (`operationSteps`) that only workers load, so that the
 * API can order work without loading an engine.
 */
export function operationKind<const Stage extends string, Input extends Prisma.InputJsonObject>(
  definition: Definition<Stage, Input>,
): OperationKind<Stage, Input> {
  const { kind, resource_type, stages, input } = definition;
  const start = (id: string, given: Input, place: { cell_id: string }) => ordered(definition, id, given, place);
  return { kind, scope: 'cell', resource_type, stages, input, start };
}

/** Declares a kind of operation that uses no engine. */
export function platformOperationKind<const Stage extends string, Input extends Prisma.InputJsonObject>(
  definition: Definition<Stage, Input>,
): PlatformOperationKind<Stage, Input> {
  const { kind, resource_type, stages, input } = definition;
  const start = (id: string, given: Input) => ordered(definition, id, given, 'platform');
  return { kind, scope: 'platform', resource_type, stages, input, start };
}

function ordered<Stage extends string, Input extends Prisma.InputJsonObject>(
  { kind, resource_type, stages, deadline_ms, supersedes = false }: Definition<Stage, Input>,
  id: string,
  input: Input,
  place: NewOperation['place'],
): NewOperation {
  return { kind, resource: { type: resource_type, id }, stage: stages[0], input, place, deadline_ms, supersedes };
}
