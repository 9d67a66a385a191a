import { z } from 'zod';
import { operationKind } from '@/lib/core/operations/kind';

const nothing = z.strictObject({});
const MINUTE_MS = 60_000;

export const createToyKind = operationKind({
  kind: 'toy.create',
  resource_type: 'toy',
  stages: ['members', 'open'],
  input: nothing,
  deadline_ms: 10 * MINUTE_MS,
});

/** Upgrades the standby first, then moves the address to it, then upgrades the formerly active member. */
export const upgradeToyKind = operationKind({
  kind: 'toy.upgrade',
  resource_type: 'toy',
  stages: ['standby', 'hand_over', 'take_over', 'former', 'finish'],
  input: z.strictObject({ version: z.int() }),
  deadline_ms: 10 * MINUTE_MS,
});

export const deleteToyKind = operationKind({
  kind: 'toy.delete',
  resource_type: 'toy',
  stages: ['members', 'remove'],
  input: nothing,
  deadline_ms: 10 * MINUTE_MS,
  supersedes: true,
});

/** Brings a member to its desired state, and waits until it answers. */
export const ensureMemberKind = operationKind({
  kind: 'toy_member.ensure',
  resource_type: 'toy_member',
  stages: ['run', 'answer'],
  input: nothing,
  deadline_ms: 5 * MINUTE_MS,
});

export const upgradeMemberKind = operationKind({
  kind: 'toy_member.upgrade',
  resource_type: 'toy_member',
  stages: ['reserve', 'run', 'answer'],
  input: z.strictObject({ version: z.int() }),
  deadline_ms: 5 * MINUTE_MS,
});

export const deleteMemberKind = operationKind({
  kind: 'toy_member.delete',
  resource_type: 'toy_member',
  stages: ['remove'],
  input: nothing,
  deadline_ms: 5 * MINUTE_MS,
});
