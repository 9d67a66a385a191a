import type { SealedColumn } from '@/lib/core/crypto/reseal';
import { open, seal } from '@/lib/core/crypto/seal';

/** Private keys, for `npm run admin -- reseal`. */
export const sealedKeys: SealedColumn = {
  table: 'certificates',
  column: 'sealed_key',
  key: 'id',
  bound: "'certificate:' || project_id || ':' || id",
};

const place = (projectId: string, id: string) => `certificate:${projectId}:${id}`;

export const sealKey = (projectId: string, id: string, pem: string) =>
  new Uint8Array(seal(Buffer.from(pem), place(projectId, id)));

/** @throws when the key was sealed for another certificate */
export const openKey = (projectId: string, id: string, sealed: Uint8Array) =>
  open(sealed, place(projectId, id)).toString();
