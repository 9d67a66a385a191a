import { keyIds, keyPurposes } from '@/lib/keyring';
import { lockDataDir } from '@/lib/lock';
import { loadEnvironmentFile, ownCell, parseSettings } from '@/lib/settings';
import { embeddedDatabaseUrl, startEmbeddedDatabase } from './embedded-database';
import { generateDatabaseClient } from './generate';
import { dropOlderKeys, rotateKeys } from './keys';
import { endLeftovers } from './leftovers';

const usage = `Usage: npm run admin -- COMMAND
  reset-password EMAIL              sets a new password for a user and ends all their sessions and API tokens
  reset-2fa EMAIL                   turns off two-factor authentication for a user
  rotate-keys signing|encryption    adds a new current key; older keys stay valid
  reseal                            re-encrypts stored secrets with the newest key; the platform may be running or stopped
  drop-keys encryption              removes the older keys once nothing is encrypted with them
  power-down                        shuts down machines left running by a killed platform, and removes its networks
  backup FOLDER                     backs up the database to a new folder; the platform may be running or stopped
  restore FOLDER                    restores a backup into the database of a new DATA_DIR with the same keys
  programs                          lists the programs that services run, and whether this host has them
  programs fetch [--mirror FOLDER] NAME…
                                    fetches programs ahead of their first use; a mirror is for hosts without the internet
  database-url                      prints the database URL for pg_dump and psql while the platform is running`;

/** Time for the worker of a killed platform to finish its work. */
const WORKER_GRACE_MS = 20_000;

/** `npm run admin`: commands for people with access to the host, with the platform running or stopped. */
export async function administer([command, subject, ...rest]: string[]): Promise<void> {
  try {
    if (command === 'programs') return await programs(subject, rest);
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
  if (!url) throw new Error(`There is no platform in ${dataDir}. Run npm start first, or set DATA_DIR.`);
  return url;
}

function fail(message: string, exitCode: number): void {
  console.error(message);
  process.exitCode = exitCode;
}

async function programs(subject: string | undefined, names: string[]): Promise<void> {
  loadEnvironmentFile();
  const { fetchPrograms, listPrograms } = await import('./programs');
  if (subject === undefined) return listPrograms();
  const mirror = names[0] === '--mirror' ? names[1] : undefined;
  const wanted = names[0] === '--mirror' ? names.slice(2) : names;
  if (subject !== 'fetch' || wanted.length === 0) return fail(usage, 2);
  await fetchPrograms(wanted, mirror);
}

function rotate(subject: string): void {
  const purpose = keyPurposes.find((known) => known === subject);
  if (!purpose) fail(usage, 2);
  else console.log(`The ${purpose} key is now ${rotateKeys(purpose)}. A running platform follows within a second.`);
}

async function reseal(): Promise<void> {
  const { resealAll } = await import('@/lib/core/crypto/reseal');
  const { sealedColumns } = await import('./sealed-columns');
  const count = await resealAll(sealedColumns);
  console.log(`${count.toLocaleString('en')} stored secrets were re-encrypted with key ${keyIds('encryption')[0]}.`);
}

async function dropKeys(): Promise<void> {
  const { sealedWithOlderKeys } = await import('@/lib/core/crypto/reseal');
  const { sealedColumns } = await import('./sealed-columns');
  const left = await sealedWithOlderKeys(sealedColumns);
  if (left > 0) {
    throw new Error(
      `${left.toLocaleString('en')} stored values still need an older key: run reseal. Stored responses expire within a day.`,
    );
  }
  const dropped = dropOlderKeys('encryption');
  console.log(
    dropped.length > 0
      ? `Removed: ${dropped.join(', ')}. Backups taken before the rotation still need these keys: keep the copies for them.`
      : 'There is only one key.',
  );
}

async function resetPassword(email: string): Promise<void> {
  const { resetPassword } = await import('@/lib/people/identity/recovery');
  console.log(`New password for ${email} (shown only once):  ${await resetPassword(email)}`);
}

async function resetSecondFactor(email: string): Promise<void> {
  const { resetSecondFactor } = await import('@/lib/people/identity/recovery');
  await resetSecondFactor(email);
  console.log(`${email} now signs in with only a password and can set up two-factor authentication again.`);
}

async function backUpTo(folder: string): Promise<void> {
  const { backUp } = await import('./backup');
  const { tables } = await backUp(databaseAddress(), folder, keyIds('encryption'));
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  console.log(
    `${folder} contains ${rows.toLocaleString('en')} rows from ${tables.length} tables. Keep a separate copy of the keys ` +
      `and, with the platform stopped, of what the database does not hold: ${await stateFolders()} in DATA_DIR.`,
  );
}

/** Folders in which domains keep state outside the database. */
async function stateFolders(): Promise<string> {
  const [{ domains }, { each }] = await Promise.all([
    import('@/lib/platform/domains'),
    import('@/lib/core/domains/domain'),
  ]);
  return [...new Set(domains.flatMap(({ state }) => each<string>(state)))].toSorted().join(', ');
}

async function restoreFrom(folder: string): Promise<void> {
  loadEnvironmentFile();
  const { dataDir, databaseUrl } = parseSettings(process.env);
  const { readManifest, restore } = await import('./backup');
  const { encryption_keys } = await readManifest(folder);
  const missing = encryption_keys.filter((id) => !keyIds('encryption').includes(id));
  if (missing.length > 0) {
    throw new Error(
      `This platform lacks the encryption keys ${missing.join(', ')}, which secrets in the backup need. First copy the keys ` +
        `of the backup to ${dataDir}/keys or ENCRYPTION_KEYS.`,
    );
  }
  const lock = lockDataDir(dataDir);
  if ('heldBy' in lock)
    throw new Error(`The platform is running (pid ${lock.heldBy}). Stop it first: a restore needs a new platform.`);
  const database = databaseUrl ? undefined : await startEmbeddedDatabase(dataDir, () => {});
  try {
    const { taken_at } = await restore(databaseUrl ?? database?.databaseUrl ?? '', folder);
    console.log(`Restored to the state of ${taken_at}. Run npm start to continue.`);
  } finally {
    await database?.stop();
    lock.release();
  }
}

async function powerDownHost(): Promise<void> {
  loadEnvironmentFile();
  const { dataDir, hostId } = parseSettings(process.env);
  // A running platform's worker would restart everything that is stopped here.
  const lock = lockDataDir(dataDir);
  if ('heldBy' in lock)
    throw new Error(`The platform is running (pid ${lock.heldBy}). Stop it: this also shuts down its machines.`);
  lock.release();
  await endLeftovers(dataDir, WORKER_GRACE_MS);
  await withDatabase(async () => {
    const { powerDown } = await import('@/lib/hosts/agent/power-down');
    const { watchesOf } = await import('@/lib/platform/work');
    const cell = ownCell();
    if (await powerDown(cell, watchesOf(cell))) return;
    throw new Error(`The database has no host named ${hostId}, so nothing was changed. Check DATA_DIR and HOST_ID.`);
  });
  console.log(
    'All machines and networks of this host are down. Machines that should be running boot on the next start.',
  );
}

/** Runs with this host's database; starts the embedded one for the duration if it is stopped. */
async function withDatabase(run: () => Promise<void>): Promise<void> {
  await generateDatabaseClient();
  const { closePool } = await import('@/lib/core/db/pool');
  const stop = await reachDatabase();
  try {
    await run();
  } finally {
    await closePool();
    await stop();
  }
}

/** Sets DATABASE_URL before anything reads it. @returns a function to call when the database is no longer needed */
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
