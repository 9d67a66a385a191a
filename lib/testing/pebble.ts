import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Program } from '@/lib/engines/local/catalogue/program';
import { fetchProgram, programRoot } from '@/lib/engines/local/catalogue/store';
import { describeHost } from '@/lib/engines/local/host';
import { settings } from '@/lib/settings';
import { testCertificate } from './certificates';
import { freePort } from './loopback';

/** An ACME authority for tests, and a DNS server that it asks. */
const program: Program = {
  name: 'pebble',
  version: 'debian',
  licence: 'MPL-2.0',
  sources: [{ kind: 'debian', packages: ['pebble'] }],
  keep: ['usr/bin/pebble', 'usr/bin/pebble-challtestsrv'],
};
const host = () =>
  describeHost({
    dataDir: settings().dataDir,
    cacheDir: join(tmpdir(), `nephele-test-cache-${process.getuid?.()}`),
  });

/** Fetches the authority from Debian. @returns why it can't run here, or null */
export const pebbleTrouble = (): Promise<string | null> =>
  fetchProgram(host(), program).then(
    () => null,
    (error: unknown) => `pebble: ${error instanceof Error ? error.message : String(error)}`,
  );

export type Pebble = {
  directoryUrl: string;
  /** The root certificate of its own HTTPS. */
  caFile: string;
  /** The port where it looks for challenges. */
  httpPort: number;
  pids: number[];
  /** Starts it again at the same address, with an empty state: it knows no account and no order. */
  forgetAll(): Promise<void>;
  /** Makes the DNS server fail for a host, or answer again. */
  setDnsFailure(host: string, failing: boolean): Promise<void>;
  stop(): Promise<void>;
};

export type PebbleOptions = {
  /** Key id and HMAC key of the accounts that it binds to; without them, anyone can register. */
  binding?: { kid: string; hmacKey: string };
};

/** Starts an authority with an empty state. Every host resolves to this machine. */
export async function startPebble({ binding }: PebbleOptions = {}): Promise<Pebble> {
  const folder = mkdtempSync(join(tmpdir(), 'nephele-test-pebble-'));
  const [port, management, httpPort, tlsPort, dns, dnsManagement] = await Promise.all(
    Array.from({ length: 6 }, freePort),
  );
  const root = await testCertificate({ is_authority: true });
  const own = await testCertificate({ names: ['localhost'], issuer: root });
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const caFile = file('ca.pem', root.certificate);
  const config = file(
    'config.json',
    JSON.stringify({
      pebble: {
        listenAddress: `127.0.0.1:${port}`,
        managementListenAddress: `127.0.0.1:${management}`,
        certificate: file('cert.pem', own.certificate),
        privateKey: file('key.pem', own.key),
        httpPort,
        tlsPort,
        externalAccountBindingRequired: binding !== undefined,
        ...(binding && { externalAccountMACKeys: { [binding.kid]: binding.hmacKey } }),
      },
    }),
  );
  const bin = join(programRoot(host(), program), 'usr/bin');
  const children: ChildProcess[] = [];
  const start = (name: string, args: string[]) => {
    const env = { NODE_ENV: 'test' as const, PEBBLE_VA_NOSLEEP: '1', PEBBLE_AUTHZREUSE: '0' };
    const child = spawn(join(bin, name), args, { env, stdio: 'ignore' });
    children.push(child);
    return child;
  };
  const off = ['-http01', '', '-https01', '', '-tlsalpn01', ''];
  const names = ['-dns01', `127.0.0.1:${dns}`, '-defaultIPv6', '', '-defaultIPv4', '127.0.0.1'];
  start('pebble-challtestsrv', [...names, '-management', `127.0.0.1:${dnsManagement}`, ...off]);
  const startAuthority = () => start('pebble', ['-config', config, '-dnsserver', `127.0.0.1:${dns}`]);
  let authority = startAuthority();
  await Promise.all([port, dnsManagement].map((open) => listening(open ?? 0)));
  return {
    directoryUrl: `https://localhost:${port}/dir`,
    caFile,
    httpPort: httpPort ?? 0,
    pids: children.flatMap(({ pid }) => pid ?? []),
    async forgetAll() {
      const ended = once(authority, 'exit');
      authority.kill('SIGKILL');
      await ended;
      authority = startAuthority();
      await listening(port ?? 0);
    },
    async setDnsFailure(name, failing) {
      const url = `http://127.0.0.1:${dnsManagement}/${failing ? 'set' : 'clear'}-servfail`;
      const answer = await fetch(url, { method: 'POST', body: JSON.stringify({ host: `${name}.` }) });
      if (!answer.ok) throw new Error(`the DNS server refused: ${answer.status}`);
    },
    async stop() {
      const ended = children.map(
        (child) => child.exitCode !== null || child.signalCode !== null || once(child, 'exit'),
      );
      for (const child of children) child.kill('SIGKILL');
      await Promise.all(ended);
    },
  };
}

/** The arguments and the environment of a process, as others on this machine can see them. */
export const visibleOf = (pid: number) =>
  ['cmdline', 'environ'].map((part) => readFileSync(`/proc/${pid}/${part}`, 'latin1')).join('\n');

async function listening(port: number): Promise<void> {
  for (const begun = Date.now(); ; ) {
    try {
      await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(2000) });
      return;
    } catch (error) {
      // An HTTPS server answers plain HTTP with an error, but it answers.
      const refused = String(error instanceof Error ? error.cause : error).includes('ECONNREFUSED');
      if (!refused) return;
      if (Date.now() - begun > 20_000) throw error;
    }
    await delay(50);
  }
}
