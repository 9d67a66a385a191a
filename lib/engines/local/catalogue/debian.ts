import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError } from '../../error';
import { run } from '../exec';
import { namesIn } from '../record';

/**
 * Unpacks Debian packages and all that they depend on, whatever this host has installed, without running any of their
 * scripts. apt verifies each file against the signed index.
 * @returns the names and versions of what was unpacked
 */
export async function unpackDebian(packages: readonly string[], downloads: string, root: string): Promise<string[]> {
  await mkdir(join(downloads, 'partial'), { recursive: true });
  const archives = ['-o', `Dir::Cache::archives=${downloads}`, '-o', 'APT::Sandbox::User=root'];
  const asIfEmpty = ['-o', 'Dir::State::status=/dev/null', '-o', 'Debug::NoLocking=1'];
  const options = ['-y', '-qq', '--no-install-recommends', '--download-only', ...archives, ...asIfEmpty];
  const fetch = () => run(['apt-get', 'install', ...options, '--', ...packages], { timeoutMs: 600_000 });
  try {
    // A new machine has no index yet, and an old one may name files that are gone.
    await fetch().catch(() => run(['apt-get', 'update', '-qq'], { timeoutMs: 300_000 }).then(fetch));
  } catch (error) {
    const message = `apt can't fetch ${packages.join(', ')}: run apt-get update.`;
    throw new EngineError('ENGINE_UNAVAILABLE', message, { cause: error });
  }
  const files = (await namesIn(downloads)).filter((name) => name.endsWith('.deb')).sort();
  await mkdir(root, { recursive: true });
  for (const file of files) await run(['dpkg-deb', '-x', join(downloads, file), root], { timeoutMs: 120_000 });
  return files.map((file) => file.replace(/\.deb$/, ''));
}
