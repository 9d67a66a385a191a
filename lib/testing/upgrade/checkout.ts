import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The user that runs a platform: root, or an ordinary user of this host. */
export type Runner = { uid: number; gid: number };

export const root: Runner = { uid: 0, gid: 0 };
/** `nobody`, who has no special rights. PostgreSQL needs a user with a name. */
export const ordinaryUser: Runner = { uid: 65_534, gid: 65_534 };

/** A folder that an ordinary user can write. */
export function folderOf(runner: Runner, path: string): string {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o711);
  chownSync(path, runner.uid, runner.gid);
  return path;
}

/**
 * Checks out a commit into its own folder, with dependencies, owned by the runner. A repeated call reuses the folder,
 * including pages built by a platform's start.
 * @returns the folder, and the full commit id
 */
export function checkOut(ref: string, runner: Runner): { folder: string; commit: string } {
  const commit = execFileSync('git', ['rev-parse', '--verify', `${ref}^{commit}`], { encoding: 'utf8' }).trim();
  const folder = join(tmpdir(), `nephele-checkout-${commit.slice(0, 12)}-${runner.uid}`);
  if (existsSync(folder)) return { folder, commit };
  const making = `${folder}.making`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making);
  const archive = execFileSync('git', ['archive', '--format=tar', commit], { maxBuffer: 1024 ** 3 });
  execFileSync('tar', ['-x', '-C', making], { input: archive });
  const lockOf = (place: string) => readFileSync(join(place, 'package-lock.json'), 'utf8');
  // Installed as the user of the tests, whose npm cache has them.
  if (lockOf(making) === lockOf('.')) execFileSync('cp', ['-a', 'node_modules', making]);
  else execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: making, stdio: 'inherit' });
  if (runner.uid !== 0) execFileSync('chown', ['-R', `${runner.uid}:${runner.gid}`, making]);
  renameSync(making, folder);
  return { folder, commit };
}
