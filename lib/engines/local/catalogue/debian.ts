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
  try {
    await run(['apt-get', 'install', ...options, '--', ...packages], { timeoutMs: 600_000 });
  } catch (error) {
    throw new EngineError('ENGINE_UNAVAILABLE', `apt cannot fetch ${packages.join(', ')}. Run: apt-get update`, {
      cause: error,
    });
  }
  const files = (await namesIn(downloads)).filter((name) => name.endsWith('.deb')).sort();
  await mkdir(root, { recursive: true });
  for (const file of files) await run(['dpkg-deb', '-x', join(downloads, file), root], { timeoutMs: 120_000 });
  return files.map((file) => file.replace(/\.deb$/, ''));
}
