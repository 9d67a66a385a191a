import { z } from 'zod';
import { noSuch } from '@/lib/core/api/errors';
import type { SealedColumn } from '@/lib/core/crypto/reseal';
import { open, seal } from '@/lib/core/crypto/seal';
import { isId } from '@/lib/core/db/id';
import { secretsThatExist } from '@/lib/domains/secrets/service';
import type { Environment } from './schema';

/** A variable as its version's row has it; its value is sealed apart. */
export type StoredVariable = { name: string; secret_id: string | null };

/** Values of the variables of versions, for `npm run admin -- reseal`. */
export const sealedEnvironments: SealedColumn = {
  table: 'function_versions',
  column: 'sealed_env',
  key: 'id',
  bound: "'function_version:' || project_id || ':' || id",
};

const place = (projectId: string, versionId: string) => `function_version:${projectId}:${versionId}`;
const values = z.record(z.string(), z.string());

/** @throws ApiError 404 for a secret that is not the project's */
export async function planEnvironment(projectId: string, given: Environment): Promise<StoredVariable[]> {
  const stored = Object.entries(given).map(
    ([name, value]): StoredVariable => ({
      name,
      secret_id: typeof value === 'string' ? null : value.secret_id.toLowerCase(),
    }),
  );
  const wanted = stored.flatMap(({ secret_id }) => secret_id ?? []);
  const found = new Set(await secretsThatExist(projectId, wanted.filter(isId)));
  for (const { name, secret_id } of stored)
    if (secret_id !== null && !found.has(secret_id)) throw noSuch(`env.${name}.secret_id`, 'secret');
  return stored;
}

/** Seals the values that were given for a version; null where there are none. */
export function sealEnvironment(
  projectId: string,
  versionId: string,
  given: Environment,
): Uint8Array<ArrayBuffer> | null {
  const plain = Object.entries(given).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
  if (plain.length === 0) return null;
  return new Uint8Array(seal(Buffer.from(JSON.stringify(Object.fromEntries(plain))), place(projectId, versionId)));
}

/** The values again. @throws when they were sealed for another version */
export function openEnvironment(
  projectId: string,
  versionId: string,
  sealed: Uint8Array | null,
): Record<string, string> {
  if (sealed === null) return {};
  return values.parse(JSON.parse(open(sealed, place(projectId, versionId)).toString()));
}
