import type { z } from 'zod';
import type { Prisma } from '@/lib/core/db/generated/client';
import type { NewOperation } from './enqueue';

/** A kind of work on one resource: what the API needs to order it, and the workers to do it. */
export type OperationKind<Stage extends string, Input> = {
  /** Resource and verb: `instance.create`. */
  readonly kind: string;
  readonly scope: 'cell';
  readonly resource_type: string;
  /** Its steps by name, the first one first. */
  readonly stages: readonly [Stage, ...Stage[]];
  readonly input: z.ZodType<Input>;
  /** Orders it for a resource: the `operation` of a `commit`. Only the worker of this cell may run it. */
  start(resourceId: string, input: Input, place: { cell_id: string }): NewOperation;
};

/** A kind of work that touches no engine: any worker may run it. */
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
  /** What its steps must know besides the resource's rows: little, and never secret. */
  input: z.ZodType<Input>;
  /** After this long it has failed. */
  deadline_ms: number;
  /** A delete: it cancels what else is under way for the resource. */
  supersedes?: boolean;
};

/**
 * Declares a kind of operation. Its steps are written with `operationSteps` in a file that only workers load, so that
 * the API orders work without loading an engine.
 */
export function operationKind<const Stage extends string, Input extends Prisma.InputJsonObject>(
  definition: Definition<Stage, Input>,
): OperationKind<Stage, Input> {
  const { kind, resource_type, stages, input } = definition;
  const start = (id: string, given: Input, place: { cell_id: string }) => ordered(definition, id, given, place);
  return { kind, scope: 'cell', resource_type, stages, input, start };
}

/** Declares a kind of operation that touches no engine. */
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
