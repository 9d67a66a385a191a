import { createHash } from 'node:crypto';
import type { Prisma } from '@/lib/core/db/generated/client';
import { newId } from '@/lib/core/db/id';
import { execute } from '@/lib/core/db/pool';
import { insert, type Sql, sql } from '@/lib/core/db/sql';
import { lettersOf, newReadableCode } from './readable-code';

/** Codes per activation. */
const COUNT = 10;

/** Ten codes of 80 bits: `k7wp-3mzx-90ab-…`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, newReadableCode);
}

/** The rows of the codes, inserted if `from` yields a row. Only hashes are kept; 80 random bits need no slow one. */
export function recoveryCodeRows(userId: string, codes: readonly string[], from: Sql): Record<string, Sql> {
  const rows = codes.map((code, index): [string, Sql] => {
    const row: Prisma.RecoveryCodeUncheckedCreateInput = {
      id: newId(),
      user_id: userId,
      code_hash: new Uint8Array(hashOf(userId, code)),
    };
    return [`code_${index}`, insert('recovery_codes', row, from)];
  });
  return Object.fromEntries(rows);
}

/** Spends a recovery code of a second factor in force. Of two concurrent uses, one succeeds. */
export async function spendRecoveryCode(userId: string, code: string): Promise<boolean> {
  const spent = await execute(sql`
    UPDATE recovery_codes c SET used_at = platform_now() FROM users u
    WHERE u.id = c.user_id AND u.totp_activated_at IS NOT NULL
      AND c.user_id = ${userId}::uuid AND c.code_hash = ${hashOf(userId, code)}::bytea AND c.used_at IS NULL`);
  return spent === 1;
}

function hashOf(userId: string, code: string): Buffer {
  return createHash('sha256')
    .update(`${userId}\n${lettersOf(code)}`)
    .digest();
}
