import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { createProject } from '@/lib/testing/world';
import {
  type CertificateOwner,
  certificateEnds,
  ensureAuthorities,
  ensureCertificate,
  forgetCertificates,
  renewCertificates,
  type ServiceCertificate,
} from './certificates';
import type { CertificateRequest } from './issue';

testDatabase();
afterEach(async () => {
  await execute(sql`DELETE FROM service_authorities`);
  await setTestClock(0);
});

const DAY_MS = 24 * 60 * 60_000;
const owner = (): CertificateOwner => ({ id: newId(), kind: 'database cluster', project_id: null });
const server: CertificateRequest = {
  common_name: 'orders',
  dns_names: ['orders.internal', 'localhost'],
  addresses: ['127.0.0.1', '10.0.0.4'],
  usage: 'server',
};
const client: CertificateRequest = { common_name: 'member-1', dns_names: [], addresses: [], usage: 'client' };

/** Opens a TLS connection and returns what the server sent, or why it failed. */
async function handshake(
  served: ServiceCertificate,
  { trusting, servername = 'orders.internal', as }: { trusting: string; servername?: string; as?: ServiceCertificate },
): Promise<string> {
  const listening = createServer(
    {
      cert: served.certificate,
      key: served.key,
      ca: served.authorities,
      requestCert: as !== undefined,
      rejectUnauthorized: as !== undefined,
    },
    (socket) => socket.end('hello'),
  );
  listening.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  try {
    return await new Promise<string>((resolve) => {
      const { port } = listening.address() as AddressInfo;
      const own = as ? { cert: as.certificate, key: as.key } : {};
      const socket = connect({ host: '127.0.0.1', port, servername, ca: trusting, ...own });
      socket.on('error', (error) => resolve(error.message));
      socket.on('data', (data) => resolve(data.toString()));
      // In TLS 1.3 a client learns only later that the server refused its certificate.
      socket.on('close', () => resolve('closed'));
    });
  } finally {
    listening.close();
  }
}

/** OpenSSL's strictest verdict on a certificate. */
function verified({ certificate }: ServiceCertificate, authorities: string, ...options: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'neph-certificates-'));
  try {
    const [ca, leaf] = [join(folder, 'ca.pem'), join(folder, 'leaf.pem')];
    writeFileSync(ca, authorities);
    writeFileSync(leaf, certificate);
    const args = ['verify', '-x509_strict', '-no-CApath', '-no-CAstore', '-CAfile', ca, ...options, leaf];
    return execFileSync('openssl', args, { encoding: 'utf8', stdio: 'pipe' }).trim().split(' ').at(-1) ?? '';
  } catch (error) {
    return String((error as { stderr: string }).stderr);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('a service certificate', () => {
  test('serves TLS under its names to clients that trust its owner’s authority, and to no others', async () => {
    const [one, other] = [owner(), owner()];
    const served = await ensureCertificate(one, 'server', server);
    expect(await handshake(served, { trusting: served.authorities })).toBe('hello');
    expect(await handshake(served, { trusting: served.authorities, servername: 'other.internal' })).toMatch(/altnames/);
    expect(await handshake(served, { trusting: await ensureAuthorities(other) })).toMatch(/unable to|self-signed/);
  });

  test('identifies a client only to servers of the same owner', async () => {
    const [one, other] = [owner(), owner()];
    const served = await ensureCertificate(one, 'server', server);
    const [own, foreign] = [
      await ensureCertificate(one, 'client', client),
      await ensureCertificate(other, 'client', client),
    ];
    expect(await handshake(served, { trusting: served.authorities, as: own })).toBe('hello');
    expect(await handshake(served, { trusting: served.authorities, as: foreign })).not.toBe('hello');
  });

  test('passes OpenSSL’s strict checks for its purpose and addresses, and for no other purpose', async () => {
    const one = owner();
    const served = await ensureCertificate(one, 'server', server);
    const member = await ensureCertificate(one, 'member', { ...server, usage: 'peer' });
    const { authorities } = served;
    expect(verified(served, authorities, '-purpose', 'sslserver', '-verify_ip', '10.0.0.4')).toBe('OK');
    expect(verified(served, authorities, '-purpose', 'sslclient')).toMatch(/unsuitable certificate purpose/i);
    expect(verified(served, authorities, '-verify_hostname', 'other.internal')).toMatch(/hostname mismatch/i);
    for (const purpose of ['sslserver', 'sslclient']) {
      expect(verified(member, authorities, '-purpose', purpose)).toBe('OK');
    }
  });

  test('stays the same until its content should change, and is then reissued', async () => {
    const one = owner();
    const first = await ensureCertificate(one, 'server', server);
    expect(await ensureCertificate(one, 'server', server)).toEqual(first);
    const moved = await ensureCertificate(one, 'server', { ...server, addresses: ['10.0.0.9'] });
    expect(moved.certificate).not.toBe(first.certificate);
    expect(verified(moved, first.authorities, '-verify_ip', '10.0.0.9')).toBe('OK');
  });

  test('is issued once, for any number of concurrent requests', async () => {
    const one = owner();
    const asked = await Promise.all(Array.from({ length: 8 }, () => ensureCertificate(one, 'server', server)));
    expect(new Set(asked.map(({ certificate, key }) => certificate + key)).size).toBe(1);
    expect(new X509Certificate(asked[0]?.authorities ?? '').subject).toBe(`CN=database cluster ${one.id} CA 1`);
  });

  test('is reissued once, for any number of concurrent requests', async () => {
    const one = owner();
    await ensureCertificate(one, 'server', server);
    for (let round = 1; round <= 10; round += 1) {
      const moved = { ...server, addresses: [`10.0.0.${round}`] };
      const asked = await Promise.all(Array.from({ length: 8 }, () => ensureCertificate(one, 'server', moved)));
      expect(new Set(asked.map(({ certificate, key }) => certificate + key)).size).toBe(1);
    }
  });

  test('is renewed well before its expiry, by the periodic job and on use', async () => {
    const [one, other] = [owner(), owner()];
    const before = [await ensureCertificate(one, 'server', server), await ensureCertificate(other, 'server', server)];
    await setTestClock(59 * DAY_MS);
    expect(await renewCertificates(AbortSignal.timeout(60_000))).toBe(0);
    await setTestClock(61 * DAY_MS);
    const asked = await ensureCertificate(one, 'server', server);
    expect(await renewCertificates(AbortSignal.timeout(60_000))).toBe(1);
    const renewed = [asked, await ensureCertificate(other, 'server', server)];
    for (const [index, { certificate, expires_at }] of renewed.entries()) {
      expect(certificate).not.toBe(before[index]?.certificate);
      expect(expires_at.getTime()).toBeGreaterThan(Date.now() + 120 * DAY_MS);
    }
  });

  test('with a late renewal is reported', async () => {
    const one = owner();
    const { expires_at } = await ensureCertificate(one, 'server', server);
    expect(await certificateEnds()).toEqual({ count: 1, first: expires_at, late: [] });
    await setTestClock(62 * DAY_MS);
    const late = [{ owner_kind: one.kind, owner_id: one.id, name: 'server', expires_at }];
    expect(await certificateEnds()).toMatchObject({ late });
  });
});

describe('an authority', () => {
  test('has a successor that clients can trust a year before it signs anything', async () => {
    const one = owner();
    const first = await ensureAuthorities(one);
    await setTestClock((3650 - 700) * DAY_MS);
    await renewCertificates(AbortSignal.timeout(60_000));
    await ensureCertificate(one, 'server', server);
    expect(await renewCertificates(AbortSignal.timeout(60_000))).toBe(0);
    const published = await ensureAuthorities(one);
    expect(published.startsWith(first)).toBe(true);
    expect(published.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);

    const issuers = async () => {
      const rows = await query<{ generation: number }>(sql`
        SELECT a.generation FROM service_certificates c JOIN service_authorities a ON a.id = c.authority_id`);
      return rows.map(({ generation }) => generation);
    };
    expect(await issuers()).toEqual([1]);
    await setTestClock((3650 - 360) * DAY_MS);
    expect(await renewCertificates(AbortSignal.timeout(60_000))).toBe(1);
    expect(await issuers()).toEqual([2]);
    await setTestClock(3651 * DAY_MS);
    expect(await ensureAuthorities(one)).toBe(published.slice(first.length));
  });

  test('is deleted with its owner, along with everything that it signed', async () => {
    const [one, other] = [owner(), owner()];
    for (const each of [one, other]) await ensureCertificate(each, 'server', server);
    await execute(forgetCertificates(one.id, sql`(SELECT 1) AS always WHERE true`));
    const left = await query(sql`SELECT owner_id FROM service_certificates`);
    expect(left).toEqual([{ owner_id: other.id }]);
  });

  test('belongs to the project of its owner', async () => {
    const { id } = await createProject('acme');
    await ensureAuthorities({ ...owner(), project_id: id });
    expect(await query(sql`SELECT project_id FROM service_authorities`)).toEqual([{ project_id: id }]);
  });
});
