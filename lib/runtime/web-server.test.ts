import { once } from 'node:events';
import { get, type IncomingMessage, request } from 'node:http';
import { connect, createServer } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { socketAddressHeader } from '@/lib/api/client-address';
import { listen, type Surface } from './web-server';

let stop: (() => Promise<void>) | undefined;

async function serve(surface: Partial<Surface>) {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  probe.close();
  await once(probe, 'close');
  const whole = { request: async () => {}, upgrade: async () => {}, ...surface };
  stop = await listen(whole, { host: '127.0.0.1', port });
  return port;
}

async function bodyOf(response: IncomingMessage) {
  let body = '';
  for await (const chunk of response) body += chunk;
  return body;
}

afterEach(() => stop?.());

it('nobody can write the address that they come from', async () => {
  const seen: unknown[] = [];
  const port = await serve({
    async request({ headers, rawHeaders }, response) {
      const raw = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === socketAddressHeader);
      seen.push(headers[socketAddressHeader], raw);
      response.end();
    },
  });
  const outgoing = request({
    port,
    host: '127.0.0.1',
    headers: { 'X-Nephele-Client-Address': ['6.6.6.6', '7.7.7.7'] },
  });
  const [response] = await once(outgoing.end(), 'response');
  await bodyOf(response);
  expect(seen).toEqual(['127.0.0.1', ['127.0.0.1']]);
});

it('a stop finishes what is being answered, and takes nothing new', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const port = await serve({
    async request(_request, response) {
      response.write('begun ');
      await released;
      response.end('finished');
    },
  });
  const [response] = await once(get({ port, host: '127.0.0.1' }), 'response');
  const stopped = stop?.();
  const [error] = await once(connect(port, '127.0.0.1'), 'error');
  expect(error.code).toBe('ECONNREFUSED');
  release();
  expect(await bodyOf(response)).toBe('begun finished');
  await stopped;
});

it('a stop does not wait for connections that are kept alive or were taken over', async () => {
  const port = await serve({
    async request(_request, response) {
      response.end('ok');
    },
    async upgrade(_request, socket) {
      socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    },
  });
  const idle = connect(port, '127.0.0.1');
  idle.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(idle, 'data');
  const taken = connect(port, '127.0.0.1');
  taken.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  await once(taken, 'data');
  const startedAt = performance.now();
  await stop?.();
  expect(performance.now() - startedAt).toBeLessThan(5000);
});

it('what is not HTTP is answered in the error record', async () => {
  const port = await serve({});
  const socket = connect(port, '127.0.0.1');
  socket.write('nonsense\r\n\r\n');
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
    error: { code: 'INVALID_REQUEST', status: 400 },
  });
});

it('a request that fails outside the application ends, and the next is answered', async () => {
  let first = true;
  const port = await serve({
    async request(_request, response) {
      if (first) {
        first = false;
        throw new Error('outside');
      }
      response.end('fine');
    },
  });
  await once(get({ port, host: '127.0.0.1', agent: false }), 'error');
  const [response] = await once(get({ port, host: '127.0.0.1' }), 'response');
  expect(await bodyOf(response)).toBe('fine');
});
