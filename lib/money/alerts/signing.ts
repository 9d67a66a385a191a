import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { now } from '@/lib/clock';
import type { ProjectCall } from '@/lib/core/api/endpoint';
import type { SealedColumn } from '@/lib/core/crypto/reseal';
import { open, seal } from '@/lib/core/crypto/seal';
import { execute, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { commit } from '@/lib/core/quota/commit';
import type { SigningSecret } from './schema';

/** Time for which the previous secret also signs after a rotation. */
const OVERLAP_MS = 24 * 60 * 60_000;

const bound = (projectId: string) => `alert_secret:${projectId}`;

/** For `npm run admin -- reseal`: the current and the previous secret. */
export const sealedSigningSecrets: readonly SealedColumn[] = ['sealed', 'previous'].map((column) => ({
  table: 'alert_secrets',
  column,
  key: 'project_id',
  bound: "'alert_secret:' || project_id",
}));

const written = (secret: Uint8Array) => `whsec_${Buffer.from(secret).toString('base64')}`;
const fresh = () => randomBytes(32);

type Secrets = { current: Buffer; previous: Buffer | null; created_at: Date };

/** The project's secrets; the first one is created on first use. */
async function secretsOf(projectId: string): Promise<Secrets> {
  type Row = { sealed: Buffer; previous: Buffer | null; created_at: Date };
  const find = () =>
    queryOne<Row>(sql`SELECT sealed, created_at,
      CASE WHEN created_at > platform_now() - ${OVERLAP_MS}::float8 * interval '1 millisecond' THEN previous END AS previous
      FROM alert_secrets WHERE project_id = ${projectId}::uuid`);
  let row = await find();
  if (!row) {
    await execute(sql`INSERT INTO alert_secrets (project_id, sealed, created_at)
      VALUES (${projectId}::uuid, ${seal(fresh(), bound(projectId))}::bytea, ${now()}::timestamptz) ON CONFLICT DO NOTHING`);
    row = await find();
  }
  if (!row) throw new Error(`project ${projectId} has no signing secret`);
  const opened = (box: Buffer) => open(box, bound(projectId));
  return { current: opened(row.sealed), previous: row.previous && opened(row.previous), created_at: row.created_at };
}

/**
 * The headers of a webhook (Standard Webhooks), signed with the secret and, for a day after a rotation, also with the
 * previous one.
 */
export async function signedHeaders(projectId: string, id: string, body: string): Promise<Record<string, string>> {
  const { current, previous } = await secretsOf(projectId);
  // The receiver compares this with its own clock.
  const at = new Date();
  const keys = previous ? [current, previous] : [current];
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': keys.map((key) => new Webhook(written(key)).sign(id, at, body)).join(' '),
  };
}

function view(secret: Uint8Array, created_at: Date, overlaps: boolean): SigningSecret {
  return {
    secret: written(secret),
    created_at: created_at.toISOString(),
    previous_expires_at: overlaps ? new Date(created_at.getTime() + OVERLAP_MS).toISOString() : null,
  };
}

/** The signing secret of the project's webhooks. Every read is audited. */
export async function readSigningSecret(call: ProjectCall): Promise<SigningSecret> {
  call.record.resource = { type: 'alert_secret', id: call.project_id };
  const { current, previous, created_at } = await secretsOf(call.project_id);
  return view(current, created_at, previous !== null);
}

/** Replaces the secret; the previous one signs for another day, so that receivers can switch over. */
export async function rotateSigningSecret(call: ProjectCall): Promise<SigningSecret> {
  const { project_id } = call;
  await secretsOf(project_id);
  const secret = fresh();
  const rotated = view(secret, call.at, true);
  await commit(call, {
    resource: { type: 'alert_secret', id: project_id },
    rows: {
      secret: sql`UPDATE alert_secrets SET previous = sealed, sealed = ${seal(secret, bound(project_id))}::bytea,
        created_at = ${call.at}::timestamptz FROM verdict WHERE verdict.ok AND alert_secrets.project_id = ${project_id}::uuid`,
    },
    answer: { status: 200, body: rotated },
  });
  return rotated;
}
