import { createHash } from 'node:crypto';
import { type Caller, callerKey } from '@/lib/core/api/caller';
import type { AnyEndpoint, Call } from '@/lib/core/api/endpoint';
import type { Prisma } from '@/lib/core/db/generated/client';
import { newId } from '@/lib/core/db/id';
import { execute } from '@/lib/core/db/pool';
import { insert, Sql, sql } from '@/lib/core/db/sql';

type AuditResult = 'succeeded' | 'refused' | 'failed';

/** The source of an entry: a call, or an event outside any endpoint, on the host or on a page. */
export type AuditOrigin = {
  at: Date;
  caller: Caller | undefined;
  address: string | null;
  request_id: string | null;
  endpoint?: AnyEndpoint;
};

export type Actor = { actor_type: string; actor_id: string | null; actor_name: string };

export type AuditFacts = {
  action: string;
  /** The actor if the caller does not identify them: a failed sign-in, or the host. */
  actor?: Actor | undefined;
  result: AuditResult;
  status: number;
  code?: string | undefined;
  project_id?: string | null | undefined;
  resource?: { type: string; id: string; name?: string | undefined } | undefined;
  /** Old and new values and the like, or an SQL expression of type jsonb. Never a secret value. */
  details?: Record<string, unknown> | Sql | undefined;
  /** Of events that no call caused: whether all project members see it in the activity. */
  activity?: boolean;
};

/** The actor as shown in the audit log; the name stays readable after the account is deleted. */
export function actor(caller: Caller | undefined): Actor {
  switch (caller?.kind) {
    case undefined:
      return { actor_type: 'anonymous', actor_id: null, actor_name: 'anonymous' };
    case 'user':
    case 'administrator':
      return { actor_type: caller.kind, actor_id: caller.user_id, actor_name: caller.email };
    case 'token':
      return { actor_type: 'token', actor_id: caller.token_id, actor_name: caller.name };
    case 'workload':
      return { actor_type: 'workload', actor_id: caller.provider_id, actor_name: caller.subject };
  }
}

/** The project of a call; null for people without one and for the back office. */
export function projectOf(call: Pick<Call, 'caller'>): string | null {
  return call.caller && call.caller.kind !== 'administrator' ? (call.caller.membership?.project_id ?? null) : null;
}

/**
 * Whether all project members may see the entry: a change whose outcome readers can see. A reader's own calls change
 * nothing.
 */
function isActivity({ endpoint }: AuditOrigin, result: AuditResult): boolean {
  if (!endpoint) return false;
  const change = endpoint.method !== 'GET' && result === 'succeeded';
  return change && endpoint.realm === 'tenant' && endpoint.access === 'member';
}

/** The statement, or part of one, that inserts the audit entry of a call. */
export function auditInsert(call: AuditOrigin, facts: AuditFacts, from?: Sql): Sql {
  return entryInsert(call, facts, { from });
}

function entryInsert(call: AuditOrigin, facts: AuditFacts, { from, tally }: { from?: Sql; tally?: Buffer }): Sql {
  const details = facts.details instanceof Sql ? facts.details : (facts.details as Prisma.InputJsonObject | undefined);
  return insert<Prisma.AuditEntryUncheckedCreateInput>(
    'audit_entries',
    {
      id: newId(),
      project_id: facts.project_id === undefined ? projectOf(call) : facts.project_id,
      at: call.at,
      ...(facts.actor ?? actor(call.caller)),
      action: facts.action,
      resource_type: facts.resource?.type ?? null,
      resource_id: facts.resource?.id ?? null,
      resource_name: facts.resource?.name ?? null,
      result: facts.result,
      status: facts.status,
      code: facts.code ?? null,
      address: call.address,
      request_id: call.request_id,
      details,
      activity: facts.activity ?? isActivity(call, facts.result),
      tally: tally && new Uint8Array(tally),
    },
    from,
  );
}

/** Writes an entry in a separate statement when no guarded statement has recorded it. */
export async function recordAudit(call: AuditOrigin, facts: AuditFacts): Promise<void> {
  await execute(auditInsert(call, facts));
}

const TALLY_MS = 3_600_000;

/**
 * Records a refused read. Equal reads of a caller share one entry per hour with a counter and the latest one, so a
 * script in a loop cannot fill the disk (docs/decisions/0033).
 */
export async function countRefusedRead(call: AuditOrigin, caller: Caller, facts: AuditFacts): Promise<void> {
  const hour = Math.floor(call.at.getTime() / TALLY_MS);
  const alike = [callerKey(caller), facts.action, facts.status, facts.code, hour];
  const tally = createHash('sha256').update(JSON.stringify(alike)).digest();
  await execute(sql`${entryInsert(call, facts, { tally })}
    ON CONFLICT (tally) DO UPDATE SET count = audit_entries.count + 1,
      last_at = greatest(audit_entries.last_at, audit_entries.at, excluded.at),
      resource_type = excluded.resource_type, resource_id = excluded.resource_id, resource_name = excluded.resource_name,
      address = excluded.address, request_id = excluded.request_id, details = excluded.details`);
}
