import { type AuditFacts, type AuditOrigin, auditInsert } from '@/lib/core/audit/entry';
import { hintInsert } from '@/lib/core/db/hint';
import { join, raw, type Sql, sql } from '@/lib/core/db/sql';
import { type NewOperation, operationInsert } from '@/lib/core/operations/enqueue';
import { type Claimed, claimParts } from './claim';
import { lockParts, type Need, reservationParts } from './needs';
import { type Released, releaseParts } from './release';

/** Named parts of one statement, in order; undefined parts are left out. */
export type Parts = readonly (readonly [name: string, piece: Sql | undefined])[];

/** For `INSERT … SELECT`, `UPDATE … FROM` and `DELETE … USING`: writes the row only if the whole write is admitted. */
export const ifAdmitted = raw('verdict WHERE verdict.ok');

/** A change that one statement writes completely or not at all (docs/decisions/0002). */
export type GuardedWrite = {
  /**
   * The project of the change is in `k`. With `account` or needs, its account is locked first, and `k` has its current
   * values.
   */
  lock: { project_id: string | null; account: boolean };
  /**
   * The checks. The last part is `verdict`: at most one row, with `project_id`, `ok`, and `claim_<dimension>` for each
   * claim.
   */
  guard: Parts;
  /** The quota that the resource claims, if admitted. */
  claims?: Claimed | undefined;
  /** Reservations in cells. The guard needs `demandParts`, so that the verdict can depend on `crowded`. */
  needs?: readonly Need[] | undefined;
  /** The quota that the resource releases; a full release includes its reservations. Not together with claims. */
  release?: Released | undefined;
  /** The rows to write; each part depends on `ifAdmitted`. */
  rows: Parts;
  operation?: { origin: { at: Date; request_id: string | null }; start: NewOperation } | undefined;
  /** Use `from` if the entry depends on more than the verdict. */
  audit?: { origin: AuditOrigin; facts: AuditFacts; from?: Sql } | undefined;
  /** Resources that open pages should refetch; `at` defaults to the database's clock. */
  hints: readonly { topic: string; resource_id: string; at?: Date }[];
  /** The columns of `verdict` to return. */
  returns: Sql;
};

/**
 * The statement of a guarded write. It returns the verdict's row, or no row if the guard found nothing to decide on.
 */
export function guarded(write: GuardedWrite): Sql {
  const { lock, claims, needs = [], release, operation, audit } = write;
  const { project_id } = lock;
  const account = sql`SELECT * FROM project_accounts WHERE project_id = ${project_id}::uuid FOR UPDATE`;
  const unlocked = sql`SELECT ${project_id}::uuid AS project_id`;
  const parts: Parts = [
    ...(needs.length > 0 ? lockParts(account, needs) : [['k', lock.account ? account : unlocked] as const]),
    ...write.guard,
    ...(claims ? claimParts(project_id, claims) : []),
    ...reservationParts(needs),
    ...(release ? releaseParts(release) : []),
    ...write.rows,
    ['operation', operation && operationInsert(operation.origin, operation.start, project_id, ifAdmitted)],
    ['audited', audit && auditInsert(audit.origin, { project_id, ...audit.facts }, audit.from ?? ifAdmitted)],
    ...write.hints.map(
      (hint, index) => [`hinted${index || ''}`, hintInsert({ project_id, ...hint }, ifAdmitted)] as const,
    ),
  ];
  const ctes = parts.flatMap(([name, piece]) => (piece ? sql`${raw(name)} AS MATERIALIZED (${piece})` : []));
  return sql`WITH ${join(ctes, ', ')} SELECT ${write.returns} FROM verdict`;
}
