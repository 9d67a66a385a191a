import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type PeerCertificate } from 'node:tls';
import { getRequestListener } from '@hono/node-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { orderDueCertificates } from '@/lib/domains/certificates/acme/jobs';
import type { Certificate } from '@/lib/domains/certificates/schema';
import { waitFor } from '@/lib/engines/local/turns';
import { app } from '@/lib/platform/app';
import { forgetSettings, settings } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { ownHost } from '@/lib/testing/domains/gateway';
import { gatewayTrouble, startGatewayWorld, takeFreeGatewayPorts } from '@/lib/testing/gateway-world';
import { freePort } from '@/lib/testing/loopback';
import { idOf } from '@/lib/testing/machines';
import { type Pebble, pebbleTrouble, startPebble } from '@/lib/testing/pebble';

testDatabase();
const trouble = (await gatewayTrouble()) ?? (await pebbleTrouble());
if (trouble !== null && process.env.CI) throw new Error(trouble);

describe.skipIf(trouble !== null)(
  `certificates ordered through the gateway${trouble ? ` (skipped: ${trouble})` : ''}`,
  () => {
    let world: Awaited<ReturnType<typeof startGatewayWorld>>;
    let pebble: Pebble;
    let web: Server;
    let worker: ChildProcess;
    beforeAll(async () => {
      pebble = await startPebble();
      await takeFreeGatewayPorts();
      Object.assign(process.env, {
        ALLOW_PRIVATE_URLS: '127.0.0.1',
        GATEWAY_HTTP_PORT: pebble.httpPort,
        PORT: await freePort(),
        ACME_DIRECTORY_URL: pebble.directoryUrl,
        ACME_CA_FILE: pebble.caFile,
      });
      forgetSettings();
      web = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false })).listen(
        settings().port,
        '127.0.0.1',
      );
      await once(web, 'listening');
      world = await startGatewayWorld();
      worker = spawn(process.execPath, ['--import', 'tsx', 'lib/testing/certificate-worker.ts'], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      await once(worker, 'message');
    });
    afterAll(async () => {
      worker?.kill('SIGKILL');
      await world?.stop();
      web?.close();
      await pebble?.stop();
    });

    test('are validated although the host has a route, served by it, and renewed without a reload', async () => {
      const acme = await world.project('acme');
      const host = await ownHost(acme);
      // The tenant's own server answers every path, also the authority's.
      const at = await world.origin((_, response) => response.end('not the key'));
      const backends = [{ name: 'web', url: at, weight: 100 }];
      const plain = await world.apply(acme, { host, backends });
      await world.until(plain.id, acme, ({ status }) => status === 'active');

      const body = { name: 'shop', domains: [host], issuer: 'acme' };
      const id = idOf(await world.call('POST', '/gateway/certificates', { ...world.token(acme), body }));
      const read = async () =>
        (await world.call('GET', `/gateway/certificates/${id}`, world.token(acme))).body as Certificate;
      const isIssued = (before: string | null) => async () => {
        const { status, fingerprint_sha256 } = await read();
        return status === 'issued' && fingerprint_sha256 !== before;
      };
      expect(await waitFor(isIssued(null), { timeoutMs: 100_000, everyMs: 100 }), JSON.stringify(await read())).toBe(
        true,
      );
      const { fingerprint_sha256: first } = await read();

      const route = await world.apply(acme, { host, backends, tls_certificate_id: id });
      await world.until(route.id, acme, ({ status }) => status === 'active');
      const served = () =>
        new Promise<PeerCertificate>((resolve, reject) => {
          const target = { host: '127.0.0.1', port: settings().gatewayHttpsPort, servername: host };
          const socket = connect({ ...target, rejectUnauthorized: false }, () => {
            resolve(socket.getPeerCertificate());
            socket.destroy();
          });
          socket.on('error', reject);
        });
      const serves = (fingerprint: string | null) => async () => (await served()).fingerprint256 === fingerprint;
      expect(await waitFor(serves(first), { timeoutMs: 20_000, everyMs: 50 })).toBe(true);

      const processes = await world.processes();
      await execute(sql`UPDATE certificates SET next_order_at = platform_now() WHERE id = ${id}::uuid`);
      await orderDueCertificates(new AbortController().signal);
      expect(await waitFor(isIssued(first), { timeoutMs: 100_000, everyMs: 100 })).toBe(true);
      const { fingerprint_sha256: second } = await read();
      expect(await waitFor(serves(second), { timeoutMs: 20_000, everyMs: 50 })).toBe(true);
      expect(await world.processes()).toEqual(processes);
    });
  },
);
