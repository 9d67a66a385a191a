'use client';

import { useFreeze } from './freeze';
import { freezable, needed, type OperationId } from './operations';
import { type Project, type Role, useProjectIfAny } from './project';

/** An API operation, by its name in the reference. */
export type { OperationId };

const accessOf = new Map(
  Object.entries(needed).flatMap(([access, names]) => names.split(' ').map((name) => [name, access])),
);
const freezables = new Set(freezable.split(' '));

/** Why the API refuses everything in a suspended project. */
export const SUSPENDED = 'The project is suspended. Contact your platform administrator.';

const roles: readonly Role[] = ['reader', 'member', 'admin'];

/** Whether `role` includes `needed`. */
export function includesRole(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

/** The role that an operation requires, if any: others only require a signed-in person, or an administrator. */
function neededRole(operation: OperationId): Role | undefined {
  return roles.find((role) => role === accessOf.get(operation));
}

/** Whether a role is enough for an operation, whatever the project's status. */
export function isOpenTo(operation: OperationId, role: Role): boolean {
  const needed = neededRole(operation);
  return needed === undefined || includesRole(role, needed);
}

/**
 * Why the API would refuse an operation, in a sentence; undefined if it would not. A test compares it with the API's
 * own decision (`lib/core/api/policy.ts`).
 * @param frozen why nothing can be created or enlarged, if so
 */
export function refusalOf(
  operation: OperationId,
  { role, status }: Pick<Project, 'role' | 'status'>,
  frozen?: string,
): string | undefined {
  const needed = neededRole(operation);
  if (status === 'suspended' && (needed !== undefined || accessOf.get(operation) === 'project_person'))
    return SUSPENDED;
  if (needed !== undefined && !includesRole(role, needed)) return `Requires the ${needed} role.`;
  return freezables.has(operation) ? frozen : undefined;
}

/**
 * Returns why this person cannot call an operation, for several actions or rows. Nothing is refused in the back office.
 */
export function useRefusal(): (operation: OperationId) => string | undefined {
  const project = useProjectIfAny();
  const frozen = useFreeze();
  return (operation) => project && refusalOf(operation, project, frozen);
}

/** Whether this person may call an operation, and if not, why. */
export function useMay(operation: OperationId): { allowed: boolean; reason: string | undefined } {
  const reason = useRefusal()(operation);
  return { allowed: reason === undefined, reason };
}
