import { Resolver } from 'node:dns/promises';
import { signalChange } from '@/lib/core/db/changes';
import { hintInsert } from '@/lib/core/db/hint';
import { databaseError, execute, query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import type { PeriodicJob } from '@/lib/core/operations/periodic';
import { settings } from '@/lib/settings';
import { verificationOf } from './hosts';

const BATCH = 50;
/** Failed checks in a row that end a verification. */
const MOST_FAILURES = 3;

/** The values of a TXT record; rejects where there is none. */
export type ResolveTxt = (name: string) => Promise<string[][]>;

const resolver = new Resolver({ timeout: 3000, tries: 2 });
const systemTxt: ResolveTxt = (name) => resolver.resolveTxt(name);

export const verifyHostsJob: PeriodicJob = {
  name: 'verify hosts of gateway routes',
  every_ms: 1000,
  run: () => verifyHosts(),
};

type Due = { project_id: string; host: string; status: 'pending' | 'verified' | 'refused'; failures: number };

/** Checks the hosts that are due: new ones often, verified ones daily (services.md, section 3). */
export async function verifyHosts(resolve: ResolveTxt = systemTxt): Promise<void> {
  const due = await query<Due>(sql`SELECT project_id, host, status, failures FROM gateway_hosts
    WHERE next_check_at <= platform_now() ORDER BY next_check_at LIMIT ${BATCH}::int`);
  await Promise.all(due.map((one) => check(one, resolve)));
}

async function check(one: Due, resolve: ResolveTxt): Promise<void> {
  const isProven = settings().allowUnverifiedHosts || (await hasRecord(one, resolve));
  if (isProven) return verified(one);
  const failures = one.failures + 1;
  const isLost = one.status === 'verified' && failures >= MOST_FAILURES;
  await note(one, { status: one.status === 'verified' && !isLost ? 'verified' : 'pending', reason: null, failures });
}

async function hasRecord({ host, project_id }: Due, resolve: ResolveTxt): Promise<boolean> {
  const { record, value } = verificationOf(host, project_id);
  const found = await resolve(record).catch(() => []);
  return found.some((parts) => parts.join('').trim() === value);
}

/** The first project that proves a host has it. */
async function verified(one: Due): Promise<void> {
  try {
    await note(one, { status: 'verified', reason: null, failures: 0 });
  } catch (error) {
    if (databaseError(error)?.constraint !== 'gateway_hosts_verified_key') throw error;
    await note(one, { status: 'refused', reason: 'Another project serves this host.', failures: 0 });
  }
}

type Result = { status: Due['status']; reason: string | null; failures: number };

async function note({ project_id, host, status: before }: Due, { status, reason, failures }: Result): Promise<void> {
  const changed = await execute(sql`
    WITH noted AS (
      UPDATE gateway_hosts h SET status = ${status}::text, status_reason = ${reason}::text, failures = ${failures}::int,
        verified_at = CASE WHEN ${status}::text = 'verified' THEN coalesce(h.verified_at, platform_now()) END,
        next_check_at = platform_now() + CASE WHEN ${status}::text = 'verified' AND ${failures}::int = 0 THEN interval '1 day'
          WHEN ${status}::text = 'pending' AND h.created_at > platform_now() - interval '1 hour' THEN interval '15 seconds'
          ELSE interval '1 hour' END
      WHERE h.project_id = ${project_id}::uuid AND h.host = ${host}::text RETURNING h.project_id
    )
    ${hintInsert({ project_id: raw('project_id'), topic: 'gateway_route' }, sql`noted WHERE ${status}::text <> ${before}::text`)}`);
  if (changed > 0) signalChange();
}
