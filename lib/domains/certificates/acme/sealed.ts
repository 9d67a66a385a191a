import { generateKeyPairSync } from 'node:crypto';
import type { SealedColumn } from '@/lib/core/crypto/reseal';
import { open, seal } from '@/lib/core/crypto/seal';

type Owner = 'acme_account' | 'acme_order';

const column = (owner: Owner): SealedColumn => ({
  table: `${owner}s`,
  column: 'sealed_key',
  key: 'id',
  bound: `'${owner}:' || id`,
});

/** Keys of accounts, and of certificates until their order has ended. */
export const sealedAcmeKeys: readonly SealedColumn[] = [column('acme_account'), column('acme_order')];

/** A new EC key on P-256, sealed for its row. */
export function newSealedKey(owner: Owner, id: string): Buffer {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return seal(Buffer.from(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()), `${owner}:${id}`);
}

export const openSealedKey = (owner: Owner, id: string, sealed: Uint8Array) =>
  open(sealed, `${owner}:${id}`).toString();
