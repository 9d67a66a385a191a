import { posix } from 'node:path';
import type { ChecksumAlgorithm } from '@/lib/domains/images/engine';
import { EngineError, reasonOf } from '../../error';

const ANSWER_MS = 30_000;
/** Longer than any list of a release. */
const MOST_BYTES = 1024 * 1024;

/**
 * The checksum of a file in its publisher's list (SHA256SUMS, SHA512SUMS), as hex; the list must come over TLS.
 * @throws EngineError `ENGINE_ERROR` when the list cannot be fetched or does not name the file
 */
export async function publishedChecksum(
  file: string,
  { algorithm, url }: { algorithm: ChecksumAlgorithm; url: string },
): Promise<string> {
  const list = await read(url, AbortSignal.timeout(ANSWER_MS));
  const hex = checksumIn(list, posix.basename(new URL(file).pathname), algorithm);
  if (hex) return hex;
  throw new EngineError('ENGINE_ERROR', `${url} does not list ${posix.basename(file)}.`);
}

async function read(url: string, signal: AbortSignal): Promise<string> {
  try {
    const response = await fetch(url, { redirect: 'follow', signal });
    if (!response.ok) throw new Error(`the server responded with status ${response.status}`);
    if (!response.url.startsWith('https:')) throw new Error('the server redirected to an address without TLS');
    return (await response.text()).slice(0, MOST_BYTES);
  } catch (error) {
    throw new EngineError('ENGINE_ERROR', `${url} could not be fetched: ${reasonOf(error)}`, { cause: error });
  }
}

/** The checksum of a file in a list as `sha256sum` and its kin write it. */
export function checksumIn(list: string, name: string, algorithm: ChecksumAlgorithm): string | undefined {
  const digits = algorithm === 'sha256' ? 64 : 128;
  for (const line of list.split('\n')) {
    const [, hex, listed] = /^([0-9a-f]+) [ *](.+?)\s*$/i.exec(line) ?? [];
    if (listed?.replace(/^\.\//, '') === name && hex?.length === digits) return hex.toLowerCase();
  }
  return undefined;
}
