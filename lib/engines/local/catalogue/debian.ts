import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError } from '../../error';
import { run } from '../exec';
import { namesIn, removePath } from '../record';
import type { DebianSource } from './program';

/** Where Debian's releases are, on hosts that fetch from no mirror of Debian. */
const ARCHIVE = 'http://deb.debian.org/debian';
const SECURITY = 'http://deb.debian.org/debian-security';
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * Downloads Debian packages and all that they depend on, whatever this host has installed. apt verifies each file
 * against the signed index.
 */
export async function downloadDebian(source: DebianSource, downloads: string): Promise<void> {
  const { packages, suite, backports = false } = source;
  await mkdir(join(downloads, 'partial'), { recursive: true });
  const index = suite === undefined ? [] : await indexOf(suite, backports, join(downloads, `apt-${suite}`));
  const archives = ['-o', `Dir::Cache::archives=${downloads}`, '-o', 'APT::Sandbox::User=root'];
  const asIfEmpty = ['-o', 'Dir::State::status=/dev/null', '-o', 'Debug::NoLocking=1'];
  const options = ['-y', '-qq', '--no-install-recommends', '--download-only', ...archives, ...asIfEmpty, ...index];
  const fetch = () => run(['apt-get', 'install', ...options, '--', ...packages], { timeoutMs: 600_000 });
  const update = () => run(['apt-get', 'update', '-qq', ...asIfEmpty, ...index], { timeoutMs: 300_000 });
  try {
    // A new machine has no index yet, and an old one may name files that are gone. A release of its own has none.
    await (suite === undefined ? fetch().catch(() => update().then(fetch)) : update().then(fetch));
  } catch (error) {
    const message = `apt can't fetch ${packages.join(', ')}: run apt-get update.`;
    throw new EngineError('ENGINE_UNAVAILABLE', message, { cause: error });
  } finally {
    if (suite !== undefined) await removePath(join(downloads, `apt-${suite}`));
  }
}

/** Options with which apt knows one release of Debian and nothing else, in a folder of its own. */
async function indexOf(suite: string, backports: boolean, folder: string): Promise<string[]> {
  await mkdir(join(folder, 'lists/partial'), { recursive: true });
  const { archive, security } = await mirrors();
  const lines = [
    [archive, suite],
    [archive, `${suite}-updates`],
    [security, `${suite}-security`],
    ...(backports ? [[archive, `${suite}-backports`]] : []),
  ].map(([uri, name]) => `deb [signed-by=${KEYRING}] ${uri} ${name} main\n`);
  await writeFile(join(folder, 'sources.list'), lines.join(''));
  const places = {
    'Dir::Etc::SourceList': join(folder, 'sources.list'),
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::Etc::Preferences': '/dev/null',
    'Dir::Etc::PreferencesParts': '/dev/null',
    'Dir::State::Lists': join(folder, 'lists'),
    'Dir::Cache::pkgcache': '',
    'Dir::Cache::srcpkgcache': '',
    'APT::Default-Release': '',
    'APT::Sandbox::User': 'root',
  };
  return Object.entries(places).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}

/** The mirrors of Debian that this host uses, where it names any. */
async function mirrors(): Promise<{ archive: string; security: string }> {
  const listed = await run(['apt-get', 'indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages']).catch(
    () => '',
  );
  const used = listed.split('\n').map((uri) => uri.replace(/\/+$/, ''));
  return {
    archive: used.find((uri) => uri.endsWith('/debian')) ?? ARCHIVE,
    security: used.find((uri) => uri.endsWith('/debian-security')) ?? SECURITY,
  };
}

/** Unpacks every Debian package of a folder, without running any of their scripts. */
export async function unpackDebian(downloads: string, root: string): Promise<void> {
  for (const file of (await namesIn(downloads)).sort()) {
    if (file.endsWith('.deb')) await run(['dpkg-deb', '-x', join(downloads, file), root], { timeoutMs: 120_000 });
  }
}
