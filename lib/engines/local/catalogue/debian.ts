import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError } from '../../error';
import { run } from '../exec';
import { namesIn } from '../record';

/**
 * Downloads Debian packages and all that they depend on, whatever this host has installed. apt verifies each file
 * against the signed index.
 */
export async function downloadDebian(packages: readonly string[], downloads: string): Promise<void> {
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
}

/** Unpacks every Debian package of a folder, without running any of their scripts. */
export async function unpackDebian(downloads: string, root: string): Promise<void> {
  for (const file of (await namesIn(downloads)).sort()) {
    if (file.endsWith('.deb')) await run(['dpkg-deb', '-x', join(downloads, file), root], { timeoutMs: 120_000 });
  }
}
