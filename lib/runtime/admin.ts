import { keyIds, keyPurposes } from '@/lib/keyring';
import { lockDataDir } from '@/lib/lock';
import { loadEnvironmentFile, parseSettings } from '@/lib/settings';
import { embeddedDatabaseUrl, startEmbeddedDatabase } from './embedded-database';
import { generateDatabaseClient } from './generate';
import { dropOlderKeys, rotateKeys } from './keys';
import { endLeftovers } from './leftovers';

const usage = `Usage: npm run admin -- COMMAND
  reset-password EMAIL              gives a user a new password, and ends all sessions and API tokens
  reset-2fa EMAIL                   removes a user's second factor
  rotate-keys signing|encryption    puts a new key in front; the older ones stay valid
  reseal                            seals with the newest key what an older one sealed, while the platform runs or is stopped
  drop-keys encryption              forgets the older keys, once nothing is sealed with them
  power-down                        powers down the machines that a killed platform left running, and removes its networks
  backup FOLDER                     writes the database into a new folder, while the platform runs or is stopped
  restore FOLDER                    fills the database of a new DATA_DIR, which has the same keys, from a backup
  database-url                      the address of the database while the platform runs, for pg_dump and psql`;

/** How long the worker of a platform that was killed may take to finish what it is doing. */
const WORKER_GRACE_MS = 20_000;

/** `npm run admin`: what only somebody on the host may do, while the platform runs or is stopped. */
export async function administer([command, subject, ...rest]: string[]): Promise<void> {
  try {
    if (command === 'database-url' && !subject) console.log(databaseAddress());
    else if (command === 'reseal' && !subject) await withDatabase(reseal);
    else if (command === 'power-down' && !subject) await powerDownHost();
    else if (!subject || rest.length > 0) fail(usage, 2);
    else if (command === 'drop-keys' && subject === 'encryption') await withDatabase(dropKeys);
    else if (command === 'backup') await withDatabase(() => backUpTo(subject));
    else if (command === 'restore') await restoreFrom(subject);
    else if (command === 'rotate-keys') rotate(subject);
    else if (command === 'reset-password') await withDatabase(() => resetPassword(subject));
    else if (command === 'reset-2fa') await withDatabase(() => resetSecondFactor(subject));
    else fail(usage, 2);
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error), 1);
  }
}

function databaseAddress(): string {
  loadEnvironmentFile();
  const { dataDir, databaseUrl } = parseSettings(process.env);
  const url = databaseUrl ?? embeddedDatabaseUrl(dataDir);
  if (!url) throw new Error(`${dataDir} holds no platform yet: run npm start first, or set DATA_DIR`);
  return url;
}

function fail(message: string, exitCode: number): void {
  console.error(message);
  process.exitCode = exitCode;
}

function rotate(subject: string): void {
  const purpose = keyPurposes.find((known) => known === subject);
  if (!purpose) fail(usage, 2);
  else console.log(`The ${purpose} key is now ${rotateKeys(purpose)}. A running platform follows within a second.`);
}

async function reseal(): Promise<void> {
  const { resealAll } = await import('@/lib/crypto/reseal');
  const { sealedColumns } = await import('./sealed-columns');
  const count = await resealAll(sealedColumns);
  console.log(`${count.toLocaleString('en')} stored secrets were sealed anew, with key ${keyIds('encryption')[0]}.`);
}

async function dropKeys(): Promise<void> {
  const { sealedWithOlderKeys } = await import('@/lib/crypto/reseal');
  const { sealedColumns } = await import('./sealed-columns');
  const left = await sealedWithOlderKeys(sealedColumns);
  if (left > 0) {
    throw new Error(
      `${left.toLocaleString('en')} stored things still need an older key: run reseal. Kept answers of requests pass within a day.`,
    );
  }
  const dropped = dropOlderKeys('encryption');
  console.log(
    dropped.length > 0
      ? `Forgotten: ${dropped.join(', ')}. Backups from before the rotation still need them: keep the copies that belong to those.`
      : 'There is one key only.',
  );
}

async function resetPassword(email: string): Promise<void> {
  const { resetPassword } = await import('@/lib/identity/recovery');
  console.log(`The new password of ${email}, shown this once:  ${await resetPassword(email)}`);
}

async function resetSecondFactor(email: string): Promise<void> {
  const { resetSecondFactor } = await import('@/lib/identity/recovery');
  await resetSecondFactor(email);
  console.log(`${email} signs in with the password alone now, and can set up a new second factor.`);
}

async function backUpTo(folder: string): Promise<void> {
  const { backUp } = await import('./backup');
  const { tables } = await backUp(databaseAddress(), folder, keyIds('encryption'));
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  console.log(
    `${folder} holds ${rows.toLocaleString('en')} rows of ${tables.length} tables. Keep a copy of the keys apart from it, ` +
      'and, where machines run, of the disks.',
  );
}

async function restoreFrom(folder: string): Promise<void> {
  loadEnvironmentFile();
  const { dataDir, databaseUrl } = parseSettings(process.env);
  const { readManifest, restore } = await import('./backup');
  const { encryption_keys } = await readManifest(folder);
  const missing = encryption_keys.filter((id) => !keyIds('encryption').includes(id));
  if (missing.length > 0) {
    throw new Error(
      `The encryption keys of this platform lack ${missing.join(', ')}, which sealed secrets of the backup: put the keys ` +
        `that belong to it into ${dataDir}/keys, or ENCRYPTION_KEYS, first.`,
    );
  }
  const lock = lockDataDir(dataDir);
  if ('heldBy' in lock) throw new Error(`The platform runs (pid ${lock.heldBy}): stop it, a restore is for a new one.`);
  const database = databaseUrl ? undefined : await startEmbeddedDatabase(dataDir, () => {});
  try {
    const { taken_at } = await restore(databaseUrl ?? database?.databaseUrl ?? '', folder);
    console.log(`Restored as of ${taken_at}. The next npm start goes on from there.`);
  } finally {
    await database?.stop();
    lock.release();
  }
}

async function powerDownHost(): Promise<void> {
  loadEnvironmentFile();
  const { dataDir, hostId } = parseSettings(process.env);
  // While the platform runs, its worker would start again what is stopped here.
  const lock = lockDataDir(dataDir);
  if ('heldBy' in lock)
    throw new Error(`The platform runs (pid ${lock.heldBy}); stop it, that powers down its machines.`);
  lock.release();
  await endLeftovers(dataDir, WORKER_GRACE_MS);
  await withDatabase(async () => {
    const { powerDown } = await import('@/lib/compute/power-down');
    if (await powerDown()) return;
    throw new Error(
      `The database knows no host named ${hostId}, so that nothing was touched: DATA_DIR or HOST_ID may be another's.`,
    );
  });
  console.log('Machines and networks of this host are down. Those that should run boot with the next start.');
}

/** Runs with the database of this host; where the embedded one is stopped, it is up for as long as that takes. */
async function withDatabase(run: () => Promise<void>): Promise<void> {
  await generateDatabaseClient();
  const { closePool } = await import('@/lib/db/pool');
  const stop = await reachDatabase();
  try {
    await run();
  } finally {
    await closePool();
    await stop();
  }
}

/** Sets DATABASE_URL before anything reads it. @returns what to do when the database is not needed any more */
async function reachDatabase(): Promise<() => Promise<void>> {
  loadEnvironmentFile();
  const { dataDir, databaseUrl } = parseSettings(process.env);
  if (databaseUrl) return async () => {};
  process.env.DATABASE_URL = databaseAddress();
  const lock = lockDataDir(dataDir);
  if ('heldBy' in lock) return async () => {};
  const database = await startEmbeddedDatabase(dataDir, () => {});
  return () => database.stop();
}
