import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { asCurl, asJavaScript, type Call, commandOf } from './commands';
import { createTenant } from './operations/backoffice';
import { createUser } from './operations/identity';
import { createVolume, getVolume, listVolumes } from './operations/storage';
import { createSecret } from './operations/vault';

const run = promisify(execFile);

/** Everything that a shell or JavaScript could read in a text. */
const hostile = `it's "quoted" $HOME $(id) \`id\` \\ \${x} é\n-- !! %s`;

/** Sends a call with `sh` or Node.js, and returns the request as a server receives it. */
async function sent(call: Call, how: 'sh' | 'node') {
  const received: { method?: string; url?: string; authorization?: string; body: unknown }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const { method, url, headers } = request;
    received.push({
      ...(method && { method }),
      ...(url && { url }),
      ...(headers.authorization && { authorization: headers.authorization }),
      body: text === '' ? undefined : JSON.parse(text),
    });
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : '';
  const command = commandOf(call, `http://127.0.0.1:${port}`);
  const options = { env: { ...process.env, NEPHELE_TOKEN: 'the-token' } };
  if (how === 'sh') await run('sh', ['-c', asCurl(command)], options);
  else await run(process.execPath, ['--input-type=module', '-e', asJavaScript(command)], options);
  server.close();
  return received;
}

test.each(['sh', 'node'] as const)('what %s sends is the form as it was filled in, to the character', async (how) => {
  const body = { name: hostile, size_gb: 10, description: '', tags: [hostile, null, true] };
  expect(await sent({ operation: createVolume, body }, how)).toEqual([
    { method: 'POST', url: '/api/v1/storage/volumes', authorization: 'Bearer the-token', body },
  ]);
});

test.each(['sh', 'node'] as const)('what %s sends for a list is its search, filters and order', async (how) => {
  const query = { search: `${hostile}&x=1`, status: undefined, cursor: '', limit: 50, sort: '-name' };
  const [request] = await sent({ operation: listVolumes, query }, how);
  const url = new URL(request?.url ?? '', 'http://any');
  expect(request?.method).toBe('GET');
  expect(Object.fromEntries(url.searchParams)).toEqual({ search: `${hostile}&x=1`, limit: '50', sort: '-name' });
});

test('the id of a resource is part of the address', () => {
  expect(commandOf({ operation: getVolume, id: 'a/b' }, 'https://cloud.test').url).toBe(
    'https://cloud.test/api/v1/storage/volumes/a%2Fb',
  );
});

test.each([
  ['a secret', { operation: createSecret, body: { name: 'db', payload: 'hunter2' } }, '<payload>'],
  ['a user', { operation: createUser, body: { email: 'a@b.test', password: 'hunter2' } }, '<password>'],
  ['a tenant', { operation: createTenant, body: { slug: 'acme', admin: { password: 'hunter2' } } }, '<password>'],
])('the secret of %s is never copied: a placeholder stands for it', (_, call, placeholder) => {
  const command = commandOf(call, 'https://cloud.test');
  for (const text of [asCurl(command), asJavaScript(command)]) {
    expect(text).not.toContain('hunter2');
    expect(text).toContain(placeholder);
  }
});
