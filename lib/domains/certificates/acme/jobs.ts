import { now } from '@/lib/clock';
import { signalChange } from '@/lib/core/db/changes';
import { newId } from '@/lib/core/db/id';
import { execute, query, queryOne } from '@/lib/core/db/pool';
import { join, raw, sql } from '@/lib/core/db/sql';
import type { PeriodicJob } from '@/lib/core/operations/periodic';
import { purge } from '@/lib/core/operations/purge';
import { guarded } from '@/lib/core/quota/guarded';
import { changeRow } from '@/lib/core/resources/rows';
import { orderCertificateKind } from '../operations';
import { mailAdmins } from './mail';
import { orderInsert, ordersCap } from './order';

const MINUTE_MS = 60_000;
const BATCH = 100;

/** Orders certificates whose renewal or next try is due. Those of a project at its limit wait for a later run. */
export async function orderDueCertificates(signal: AbortSignal): Promise<void> {
  const due = await query<{ id: string; project_id: string }>(sql`SELECT id, project_id FROM certificates
    WHERE next_order_at <= platform_now() ORDER BY next_order_at`);
  for (const { id, project_id } of due) if (!signal.aborted) await orderAgain(id, project_id);
}

async function orderAgain(id: string, project_id: string): Promise<void> {
  const order_id = newId();
  const { held, most } = ordersCap();
  const ordered = await queryOne<{ ok: boolean }>(
    guarded({
      lock: { project_id, account: true },
      guard: [
        [
          'due',
          sql`SELECT c.id FROM k JOIN certificates c ON c.project_id = k.project_id
          WHERE c.id = ${id}::uuid AND c.next_order_at <= platform_now() FOR UPDATE OF c`,
        ],
        ['verdict', sql`SELECT k.project_id, ${held} < ${most}::int AS ok FROM k CROSS JOIN due`],
      ],
      rows: [
        ['ordered', orderInsert({ id: order_id, project_id, certificate_id: id })],
        ['certificate', changeRow('certificates', id, raw('next_order_at = NULL'))],
      ],
      operation: { origin: { at: now(), request_id: null }, start: orderCertificateKind.start(id, { order_id }) },
      hints: [{ topic: 'certificate', resource_id: id }],
      returns: raw('ok'),
    }),
  );
  if (ordered?.ok) signalChange();
}

/** Tells members of certificates that are expiring, once for each: in the portal, and administrators by mail. */
export async function warnOfExpiringCertificates(signal: AbortSignal): Promise<void> {
  const expiring = await query<{ id: string; project_id: string }>(sql`SELECT id, project_id FROM certificates
    WHERE expiring_at <= platform_now() AND not_after > platform_now() AND warned_fingerprint IS DISTINCT FROM fingerprint_sha256
    ORDER BY expiring_at LIMIT ${BATCH}::int`);
  for (const { id, project_id } of expiring) if (!signal.aborted) await warn(id, project_id);
}

async function warn(id: string, projectId: string): Promise<void> {
  const mails = await mailAdmins(projectId, id, 'expiring', raw('warned'));
  const parts = Object.entries(mails).map(([name, mail]) => sql`, ${raw(name)} AS (${mail})`);
  await execute(sql`WITH warned AS (UPDATE certificates SET warned_fingerprint = fingerprint_sha256
      WHERE id = ${id}::uuid AND warned_fingerprint IS DISTINCT FROM fingerprint_sha256
      RETURNING id, project_id, name, fingerprint_sha256, not_after)${join(parts, '')}
    SELECT notify_people(members_with(w.project_id, '{admin,member}'), w.project_id, 'certificate_ending',
      'certificate:' || w.id || ':' || w.fingerprint_sha256, 'certificate', w.id, w.name,
      jsonb_build_object('expires_at', to_char(w.not_after AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))) FROM warned w`);
}

export const certificateJobs: readonly PeriodicJob[] = [
  { name: 'order due certificates', every_ms: MINUTE_MS, run: orderDueCertificates },
  { name: 'warn of expiring certificates', every_ms: 10 * MINUTE_MS, run: warnOfExpiringCertificates },
  purge('acme_orders', 60 * MINUTE_MS, "created_at < (SELECT platform_now()) - interval '2 days'"),
];
