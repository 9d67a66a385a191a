import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as requestPlain } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { qdrantCores } from '@/lib/engines/local/catalogue/qdrant';
import { downloadPypi, unpackPypi } from '@/lib/engines/local/catalogue/registries';
import { freePort } from './loopback';

const SERVER = join(import.meta.dirname, '../domains/databases/qdrant/box/server.py');
const START_MS = 20_000;

export type Answer = { status: number; body: string };

/** A member of a Qdrant cluster as a process of this test, outside of a sandbox. */
export type QdrantMember = {
  url: string;
  address: string;
  /** The address of the member that it begins as a follower of. */
  follows: string | undefined;
  /** The certificate that it serves with, in PEM. */
  authority: string;
  folder: string;
  /** Sends a request as it is. Headers that are not given are those of a client with the key `first`. */
  ask(path: string, options?: RequestOptions, body?: string | Buffer): Promise<Answer>;
  /** A question or command of the platform, through its own socket. @returns the result @throws Error when it is refused */
  platform<Result>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Result>;
  /** Starts it and resolves when it answers. @param core the version of Qdrant's core */
  start(core?: string): Promise<void>;
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Makes these the keys that it takes. */
  setKeys(...keys: string[]): void;
  remove(): Promise<void>;
};

/** Prepares a member with the key `first`; the core comes from its registry by its hash. */
export const qdrantMember = (...cores: string[]): Promise<QdrantMember> => memberAt('127.0.0.1', undefined, cores);

/** Two members of a cluster at the same port of two addresses, each with its version. They trust each other. */
export async function qdrantPair(former: string, next: string) {
  const port = await freePort();
  const one = await memberAt('127.0.0.1', port, [former]);
  const other = await memberAt('127.0.0.2', port, [next]);
  const both = [one, other].map(({ authority }) => authority).join('');
  for (const { folder } of [one, other]) writeFileSync(join(folder, 'tls/ca.pem'), both);
  return { former: one, next: other };
}

async function memberAt(address: string, chosen: number | undefined, cores: string[]): Promise<QdrantMember> {
  const folder = mkdtempSync(join(tmpdir(), 'neph-qdrant-'));
  for (const name of ['tls', 'state', 'run']) mkdirSync(join(folder, name));
  for (const version of cores) {
    const source = qdrantCores[version];
    if (!source) throw new Error(`no core ${version}`);
    await downloadPypi(source, join(folder, 'downloads'));
    await unpackPypi(source, join(folder, 'downloads'), join(folder, `core-${version}`));
  }
  const [key, cert] = [join(folder, 'tls/key.pem'), join(folder, 'tls/cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1,IP:127.0.0.2'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...curve, '-keyout', key, '-out', cert, '-days', '2', ...subject], {
    stdio: 'ignore',
  });
  const port = chosen ?? (await freePort());
  const authority = readFileSync(cert, 'utf8');
  let server: ChildProcess | undefined;
  const member: QdrantMember = {
    url: `https://${address === '127.0.0.1' ? 'localhost' : address}:${port}`,
    address,
    follows: undefined,
    authority,
    folder,
    ask: (path, options = {}, body) =>
      new Promise((resolve, reject) => {
        const headers = { 'api-key': 'first', 'content-type': 'application/json' };
        const call = request({ host: address, port, path, ca: authority, headers, agent: false, ...options });
        call.on('error', reject);
        call.on('response', (response) => {
          // Rejects when the connection closes in the middle of the answer.
          textOf(response).then((text) => resolve({ status: response.statusCode ?? 0, body: text }), reject);
        });
        call.end(body);
      }),
    platform: (method, path, body) =>
      new Promise((resolve, reject) => {
        const call = requestPlain({ socketPath: join(folder, 'run/api.sock'), method, path, agent: false });
        call.setHeader('content-type', 'application/json');
        call.on('error', reject);
        call.on('response', (response) => {
          textOf(response).then((text) => {
            if (response.statusCode === 200) resolve(JSON.parse(text).result);
            else reject(new Error(`${response.statusCode} ${text}`));
          }, reject);
        });
        call.end(body === undefined ? undefined : JSON.stringify(body));
      }),
    async start(core = cores[0] ?? '') {
      // Whom it follows is known to the platform, which may have told another since.
      writeFileSync(join(folder, 'role.json'), JSON.stringify({ key: 'peers', follows: member.follows ?? null }));
      const started = spawn('python3', ['-I', '-S', SERVER, String(port)], {
        stdio: 'ignore',
        env: {
          ...process.env,
          PYTHONDONTWRITEBYTECODE: '1',
          QDRANT_ADDRESS: address,
          QDRANT_SETTINGS: folder,
          QDRANT_STATE: join(folder, 'state'),
          QDRANT_FRAMES: join(import.meta.dirname, '../domains/databases/backups/box'),
          QDRANT_RUN: join(folder, 'run'),
          QDRANT_PACKAGES: join(folder, `core-${core}`, 'usr/lib/python3/dist-packages'),
        },
      });
      server = started;
      const deadline = performance.now() + START_MS;
      while ((await member.ask('/readyz').catch(() => null))?.status !== 200) {
        if (performance.now() > deadline || started.exitCode !== null) throw new Error('the member does not answer');
        await delay(50);
      }
    },
    async kill(signal) {
      if (!server || server.exitCode !== null || server.signalCode !== null) return;
      const ended = once(server, 'exit');
      server.kill(signal);
      await ended;
    },
    setKeys(...keys) {
      const digests = keys.map((one) => createHash('sha256').update(one).digest('hex'));
      writeFileSync(join(folder, 'api-key'), `${digests.join('\n')}\n`);
      server?.kill('SIGHUP');
    },
    async remove() {
      await member.kill('SIGKILL');
      rmSync(folder, { recursive: true });
    },
  };
  member.setKeys('first');
  return member;
}
