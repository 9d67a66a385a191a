import { mkdtempSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { foldUsage } from '@/lib/money/metering/usage-events';
import { forgetSettings, ownCell, settings } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { useMemoryEngines } from '@/lib/testing/memory-engines';
import { api, createProject } from '@/lib/testing/world';
import { FunctionHost } from '../pool/host';
import type { CloudFunction } from '../schema';
import { FunctionFront } from './front';
import { URL_SOCKET } from './sockets';

const RATE = 20;
/** A function's URL takes so many times the rate of one address from everywhere (docs/functions.md). */
const MOST = RATE * 10;
process.env.FUNCTION_URL_RATE_PER_MINUTE = String(RATE);
forgetSettings();
afterAll(() => {
  delete process.env.FUNCTION_URL_RATE_PER_MINUTE;
  forgetSettings();
});

testDatabase();
const call = api();

test('an anonymous flood from many addresses neither bills its project without end nor stops its members and other functions', async () => {
  await createCell();
  const acme = await createProject('acme');
  const { token } = acme.users.member;
  useMemoryEngines();
  const host = new FunctionHost(ownCell());
  await host.look();
  const begun = new Date();
  const front = new FunctionFront(ownCell(), () => begun);
  const folder = mkdtempSync(join(tmpdir(), 'flood-'));
  await front.ensure(folder, []);
  const create = async (name: string) => {
    const body = { name, template_id: 'python3.11', code: 'x = 1', url: { auth: 'none' }, concurrency: 20 };
    const answer = await call('POST', '/functions', { token, body });
    expect(answer.status).toBe(201);
    return answer.body as CloudFunction;
  };
  const send = (name: string, address: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = { host: `${name}--fn.${acme.slug}.${settings().gatewayDomain}`, 'x-forwarded-for': address };
      httpRequest({ socketPath: join(folder, URL_SOCKET), path: '/', headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      })
        .on('error', reject)
        .end();
    });
  const { id } = await create('shop');
  await create('quiet');

  const answers: number[] = [];
  while (answers.length < MOST + 100) {
    // Each call is from an address of its own, so that none reaches the limit of one.
    const addresses = Array.from({ length: 10 }, (_, n) => `198.18.${answers.length / 10}.${n}`);
    answers.push(...(await Promise.all(addresses.map((address) => send('shop', address)))));
  }
  expect(answers.filter((status) => status === 200)).toHaveLength(MOST);
  expect(answers.filter((status) => status === 429)).toHaveLength(100);

  expect((await call('POST', `/functions/${id}/invoke`, { token, body: {} })).body).toMatchObject({
    status: 'succeeded',
  });
  expect(await send('quiet', '198.18.0.0')).toBe(200);
  const secret = await call('POST', '/vault/secrets', { token, body: { name: 'n', type: 'opaque', payload: 'x' } });
  expect(secret.status).toBe(201);
  await front.close();
  await host.end();
  await foldUsage();
  const { billed } = await queryRow<{ billed: number }>(sql`SELECT sum(quantity)::float8 AS billed FROM usage_counts
    WHERE project_id = ${acme.id}::uuid AND metric = 'function_invocations'`);
  expect(billed).toBe(MOST + 2);
});
