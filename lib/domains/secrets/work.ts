import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { type DomainWork, none } from '@/lib/core/domains/domain';

/**
 * Notifies members of certificates that expire within 30 days, 7 days and a day, once each. What a run that died has not
 * done, the next one does.
 */
export async function notifyOfEndingCertificates(): Promise<void> {
  await query(sql`
    SELECT notify_people(members_with(s.project_id, '{admin,member}'), s.project_id, 'certificate_ending',
      'certificate:' || s.id || ':' || extract(epoch FROM s.expires_at) || ':' || step.days, 'secret', s.id, s.name,
      jsonb_build_object('expires_at', to_char(s.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
    FROM (SELECT platform_now() AS at) AS moment JOIN secrets s ON s.type = 'certificate' AND s.expires_at > moment.at
    CROSS JOIN LATERAL (SELECT min(days) AS days FROM unnest('{1,7,30}'::int[]) AS days
      WHERE s.expires_at <= moment.at + days * interval '1 day') AS step
    WHERE step.days IS NOT NULL`);
}

export const secretsWork: DomainWork = {
  steps: none,
  jobs: [{ name: 'notify of ending certificates', every_ms: 60 * 60_000, run: notifyOfEndingCertificates }],
  services: none,
  room: none,
  watch: none,
};
