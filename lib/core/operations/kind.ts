import type { z } from 'zod';
import type { Prisma } from '@/lib/core/db/generated/client';
import type { NewOperation } from './enqueue';

/** A kind of work on one resource: what the API needs to order it, and the workers to do it. */
export type OperationKind<Stage extends string, Input> = {
  /** Resource and verb: `instance.create`. */
  readonly kind: string;
  readonly resource_type: string;
  /** Its steps by name, the first one first. */
  readonly stages: readonly [Stage, ...Stage[]];
  readonly input: z.ZodType<Input>;
  /** Orders it for a resource: the `operation` of a `commit`. With `cell_id`, only that cell's worker may run it. */
  start(resourceId: string, input: Input, options?: { cell_id?: string | undefined }): NewOperation;
};

/**
 * Declares a kind of operation. Its steps are written with `operationSteps` in a file that only workers load, so that
 * the API orders work without loading an engine.
 */
export function operationKind<const Stage extends string, Input extends Prisma.InputJsonObject>(definition: {
  kind: string;
  resource_type: string;
  stages: readonly [Stage, ...Stage[]];
  /** What its steps must know besides the resource's rows: little, and never secret. */
  input: z.ZodType<Input>;
  /** After this long it has failed. */
  deadline_ms: number;
  /** A delete: it cancels what else is under way for the resource. */
  supersedes?: boolean;
}): OperationKind<Stage, Input> {
  const { kind, resource_type, stages, deadline_ms, supersedes = false } = definition;
  return {
    kind,
    resource_type,
    stages,
    input: definition.input,
    start: (id, input, { cell_id } = {}) => ({
      kind,
      resource: { type: resource_type, id },
      stage: stages[0],
      input,
      cell_id,
      deadline_ms,
      supersedes,
    }),
  };
}
