import { signalChange } from '@/lib/core/db/changes';
import type { Prisma } from '@/lib/core/db/generated/client';
import { newId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { insert, raw, type Sql, sql } from '@/lib/core/db/sql';
import { guarded, ifAdmitted } from '@/lib/core/quota/guarded';
import { log } from '@/lib/log';

/** A problem that needs an operator. `key` identifies the subject: each key has at most one open incident. */
export type NewIncident = {
  key: string;
  project_id: string | null;
  resource: { type: string; id: string };
  /** The operation that hit the problem. */
  operation_id?: string;
  /** Shown to operators, and to the members of the project. */
  reason: string;
};

/** Opens an incident as part of a statement. If one with this key is open, its reason is updated. */
export function openIncident({ resource, ...incident }: NewIncident, from: Sql = ifAdmitted): Sql {
  const row = insert<Prisma.IncidentUncheckedCreateInput>(
    'incidents',
    {
      id: newId(),
      ...incident,
      resource_type: resource.type,
      resource_id: resource.id,
      opened_at: raw('platform_now()'),
    },
    from,
  );
  return sql`${row} ON CONFLICT (key) WHERE closed_at IS NULL DO UPDATE SET reason = excluded.reason
    WHERE incidents.reason <> excluded.reason`;
}

/** Closes the open incident of a key, if any, as part of a statement. */
export function closeIncident(key: string, from: Sql = ifAdmitted): Sql {
  return sql`UPDATE incidents SET closed_at = platform_now()
    WHERE incidents.key = ${key}::text AND incidents.closed_at IS NULL AND EXISTS (SELECT FROM ${from})`;
}

/** Opens an incident in its own statement, for observers that write nothing else. */
export async function reportIncident(incident: NewIncident): Promise<void> {
  if (await written(incident.key, openIncident(incident, raw('k'))))
    log.error({ incident: incident.key, resource: incident.resource.id, reason: incident.reason }, 'an incident');
}

/** Closes an incident in its own statement. */
export async function resolveIncident(key: string): Promise<void> {
  if (await written(key, closeIncident(key, raw('k')))) log.info({ incident: key }, 'an incident ended');
}

/** Writes a change of one incident with a hint for the back office. @returns whether anything changed */
async function written(key: string, change: Sql): Promise<boolean> {
  const statement = guarded({
    lock: { project_id: null, account: false },
    guard: [
      ['incident', sql`${change} RETURNING incidents.id`],
      ['verdict', raw('SELECT k.project_id, true AS ok FROM k, incident')],
    ],
    rows: [],
    hints: [{ topic: 'incident', resource_id: key }],
    returns: raw('ok'),
  });
  const news = (await queryOne(statement)) !== undefined;
  if (news) signalChange();
  return news;
}
