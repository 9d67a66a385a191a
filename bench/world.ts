import { now } from '@/lib/clock';
import { newId } from '@/lib/core/db/id';
import { execute } from '@/lib/core/db/pool';
import { prisma } from '@/lib/core/db/prisma';
import { sql } from '@/lib/core/db/sql';
import { ensureKeys } from '@/lib/runtime/keys';
import { createMember } from '@/lib/testing/world';
import { createInstanceTable } from './instances';
import { projectOfCaller } from './pgbench';

/** Creates a project and a signed-in member per caller, with limits that are never reached. @returns their tokens */
export async function createCallers(count: number): Promise<string[]> {
  ensureKeys();
  await createInstanceTable();
  const at = now();
  const tokens: string[] = [];
  for (let caller = 0; caller < count; caller++) {
    const id = projectOfCaller(caller);
    const limits = { vcpus_limit: 1e12, ram_gb_limit: 1e12, instances_limit: 1e12 };
    await prisma().project.create({
      data: {
        id,
        name: `caller ${caller}`,
        slug: `caller-${caller}`,
        created_at: at,
        updated_at: at,
        account: { create: limits },
      },
    });
    tokens.push((await createMember(id, 'member')).token);
  }
  return tokens;
}

/** Fills a project's list of secrets with UUIDv7 ids in order of age, one per millisecond. */
export async function createSecrets(projectId: string, count: number): Promise<void> {
  const prefix = newId().slice(0, 8);
  await execute(sql`
    INSERT INTO secrets (id, project_id, name, type, payload_encoding, ciphertext, sealed_data_key, size_bytes, created_at, updated_at)
    SELECT (${prefix}::text || '-' || lpad(to_hex(n / 4096), 4, '0') || '-7' || lpad(to_hex(n % 4096), 3, '0') || '-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
      ${projectId}::uuid, 'secret-' || n, 'opaque', 'utf8', '\\x00', '\\x00', 1, now(), now()
    FROM generate_series(1, ${count}::int) n`);
  await execute(sql`ANALYZE`);
}

/** Empties the tables, so that one measurement does not affect the next. */
export async function forgetInstances(): Promise<void> {
  await execute(sql`TRUNCATE devices CASCADE`);
  await execute(sql`TRUNCATE quota_ledger, operations, operation_logs, audit_entries, changes, idempotency_records`);
  await execute(sql`UPDATE project_accounts SET vcpus_used = 0, ram_gb_used = 0, instances_used = 0`);
  await execute(sql`VACUUM ANALYZE project_accounts`);
}
