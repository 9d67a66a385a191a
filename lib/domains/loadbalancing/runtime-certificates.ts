import { X509Certificate } from 'node:crypto';
import { Turns } from '@/lib/engines/local/turns';
import type { ServiceFile } from '@/lib/hosts/services/engine';
import { log } from '@/lib/log';
import { FILES } from './configuration';
import { ask } from './runtime-api';

const FOLDER = `${FILES}/tls/`;

/** Commands of one request to HAProxy: together they must fit into its buffer of 16 KB. */
const SHOWN_AT_ONCE = 50;

/** A line of a list as HAProxy shows it, with its number, and as a file has it. */
type Entry = { number: string; line: string };

/**
 * Brings the certificates and lists of certificates among a service's files into its running HAProxy (2.6), without a
 * reload. Open connections go on; new handshakes see each change at once. A certificate is there before a list names it, and goes
 * after the last one that did.
 * @returns whether the process has all of them; false during a reload and while another call changes them
 */
export function settleTls(socket: string, files: readonly ServiceFile[]): Promise<boolean> {
  return turns.take(socket, () => settle(socket, files));
}

/** HAProxy has one transaction for all of its callers. */
const turns = new Turns();

async function settle(socket: string, files: readonly ServiceFile[]): Promise<boolean> {
  const live = files.filter((file) => file.live).map(({ path, content }) => ({ file: `${FILES}/${path}`, content }));
  const certificates = live.filter(({ file }) => file.startsWith(FOLDER) && file.endsWith('.pem'));
  const lists = live.filter(({ file }) => file.endsWith('.list'));
  const present = new Map<string, Entry[]>();
  for (const { file } of lists) {
    const entries = await entriesOf(socket, file);
    // The process has another structure, and is about to reload.
    if (entries === undefined) return false;
    present.set(file, entries);
  }
  const known = await certificatesOf(socket);
  const served = await fingerprintsOf(
    socket,
    certificates.flatMap(({ file }) => (known.includes(file) ? [file] : [])),
  );
  for (const { file, content } of certificates) {
    if (served.get(file) === fingerprintOf(content)) continue;
    if (!known.includes(file)) await ask(socket, [`new ssl cert ${file}`]);
    if (!(await commitCertificate(socket, file, content))) return false;
  }
  for (const { file, content } of lists)
    if (!(await settleList(socket, file, content.split('\n').filter(Boolean), present.get(file) ?? []))) return false;
  const wanted = new Set(certificates.map(({ file }) => file));
  for (const file of known) {
    if (!file.startsWith(FOLDER) || wanted.has(file)) continue;
    // One that the configuration of a process about to reload still names stays until then.
    await ask(socket, [`del ssl cert ${file}`]);
  }
  return true;
}

const fingerprintOf = (content: string) => new X509Certificate(content).fingerprint.replaceAll(':', '');

async function commitCertificate(socket: string, file: string, content: string): Promise<boolean> {
  // The payload ends with an empty line.
  const changed = (await ask(socket, [`set ssl cert ${file} <<\n${content}`])) ?? '';
  // Whoever began another transaction has died before its end: HAProxy would have changed that one (2.6).
  const other = /(?:for certificate |transaction is about ')([^'!\s]+)/.exec(changed)?.[1];
  if (other !== undefined && other !== file) await ask(socket, [`abort ssl cert ${other}`]);
  const answer = other === file ? await ask(socket, [`commit ssl cert ${file}`]) : changed;
  const isCommitted = answer?.includes('Success') && (await fingerprintsOf(socket, [file])).get(file);
  if (isCommitted === fingerprintOf(content)) return true;
  log.warn({ file, answer }, 'a certificate could not be served');
  return false;
}

async function settleList(
  socket: string,
  file: string,
  wanted: readonly string[],
  present: readonly Entry[],
): Promise<boolean> {
  const lines = new Set(present.map(({ line }) => line));
  for (const line of wanted) {
    if (lines.has(line)) continue;
    const answer = await ask(socket, [`add ssl crt-list ${file} <<\n${line}\n`]);
    if (answer?.includes('Success')) continue;
    log.warn({ file, line, answer }, 'a certificate could not be listed');
    return false;
  }
  const left = present.filter(({ line }) => !wanted.includes(line));
  for (const { line, number } of left) {
    const [path] = line.split(' ');
    const answer = await ask(socket, [`del ssl crt-list ${file} ${path}:${number}`]);
    if (!answer?.includes('deleted')) return false;
  }
  return true;
}

/** The lines of a list; undefined if the process does not have it. */
async function entriesOf(socket: string, file: string): Promise<Entry[] | undefined> {
  const answer = await ask(socket, [`show ssl crt-list -n ${file}`]);
  if (!answer?.startsWith(`# ${file}\n`)) return undefined;
  return answer.split('\n').flatMap((shown) => {
    const [, path, number, filters] = /^(\/\S+):(\d+)(.*)$/.exec(shown) ?? [];
    return path === undefined || number === undefined
      ? []
      : [{ number, line: `${path}${(filters ?? '').replaceAll(' ]', ']').trimEnd()}` }];
  });
}

/** SHA-1 fingerprints in hexadecimal digits, by file. */
async function fingerprintsOf(socket: string, files: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (let from = 0; from < files.length; from += SHOWN_AT_ONCE) {
    const commands = files.slice(from, from + SHOWN_AT_ONCE).map((file) => `show ssl cert ${file}`);
    const answer = (await ask(socket, commands)) ?? '';
    for (const [, file = '', shown = ''] of answer.matchAll(
      /^Filename: (\S+)$([\s\S]*?)(?=^Filename: |(?![\s\S]))/gm,
    )) {
      const fingerprint = /^SHA1 FingerPrint: ([0-9A-F]+)$/m.exec(shown)?.[1];
      if (fingerprint !== undefined) found.set(file, fingerprint);
    }
  }
  return found;
}

async function certificatesOf(socket: string): Promise<string[]> {
  const answer = (await ask(socket, ['show ssl cert'])) ?? '';
  return answer.split('\n').filter((line) => line.startsWith('/'));
}
