import { once } from 'node:events';
import { get, type IncomingMessage, request } from 'node:http';
import { connect, createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { socketAddressHeader } from '@/lib/core/api/client-address';
import { ConnectionLimit } from './connection-limit';
import { listen, type ServerLimits, type Surface } from './web-server';

let stop: (() => Promise<void>) | undefined;

const unlimited: ServerLimits = {
  body: { ms: 60_000, isUpload: () => false },
  connections: new ConnectionLimit(1000),
  trustedProxies: [],
};

async function serve(surface: Partial<Surface>, limits: Partial<ServerLimits> = {}) {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  probe.close();
  await once(probe, 'close');
  const whole = { request: async () => {}, upgrade: async () => {}, ...surface };
  stop = await listen(whole, { host: '127.0.0.1', port }, { ...unlimited, ...limits });
  return port;
}

async function bodyOf(response: IncomingMessage) {
  let body = '';
  for await (const chunk of response) body += chunk;
  return body;
}

afterEach(() => stop?.());

it('clients cannot forge their address', async () => {
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

it('a stop finishes requests in progress and accepts no new ones', async () => {
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

it('a stop does not wait for idle or taken-over connections', async () => {
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

it('malformed HTTP gets an error record', async () => {
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

/** Sends the start of a request and returns everything that comes back until the server closes. */
async function exchange(port: number, text: string) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(text);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  return answer;
}

const post = (path: string, length: number, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;

describe('a body that does not arrive', () => {
  const body = { ms: 100, isUpload: ({ url }: IncomingMessage) => url === '/upload' };
  const reading: Surface['request'] = async (incoming, response) => {
    response.end(await bodyOf(incoming).catch(() => 'broken'));
  };

  it('ends the request in time with an error record', async () => {
    const port = await serve({ request: reading }, { body });
    const answer = await exchange(port, post('/', 100, '{"half":'));
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain('did not arrive within 1 s');
  });

  it('ends the connection even if the answer was sent before the body arrived', async () => {
    const port = await serve(
      { request: async (_request, response) => void response.writeHead(401).end('no') },
      { body },
    );
    expect(await exchange(port, post('/', 100, '{"half":'))).toMatch(/^HTTP\/1.1 401 /);
    expect(await exchange(port, post('/upload', 100, '{"half":'))).toMatch(/^HTTP\/1.1 401 /);
  });

  it('may take the time of an upload, and a body that has arrived has no limit', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const port = await serve(
      {
        async request(incoming, response) {
          const text = await bodyOf(incoming);
          await released;
          response.end(text);
        },
      },
      { body },
    );
    const whole = request({ port, host: '127.0.0.1', method: 'POST' });
    whole.end('whole');
    const upload = request({ port, host: '127.0.0.1', method: 'POST', path: '/upload' });
    upload.write('slow ');
    // When a third, late request ends, the time of the others has passed too.
    await exchange(port, post('/', 100, '{"half":'));
    await exchange(port, post('/', 100, '{"half":'));
    upload.end('upload');
    release();
    const [first] = await once(whole, 'response');
    expect(await bodyOf(first)).toBe('whole');
    const [second] = await once(upload, 'response');
    expect(await bodyOf(second)).toBe('slow upload');
  });
});

describe('connections of one address', () => {
  const answering: Surface['request'] = async (_request, response) => void response.end('ok');

  async function open(port: number) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const [data] = await once(socket, 'data');
    return { socket, answer: String(data) };
  }

  it('are refused beyond the limit, with Retry-After, until one is closed', async () => {
    const port = await serve({ request: answering }, { connections: new ConnectionLimit(2) });
    const first = await open(port);
    await open(port);
    const refused = await open(port);
    expect(refused.answer).toMatch(/^HTTP\/1.1 429 /);
    expect(refused.answer).toMatch(/Retry-After: [1-9]/);
    expect(refused.answer).toContain('RATE_LIMITED');
    first.socket.destroy();
    await expect.poll(async () => (await open(port)).answer).toMatch(/^HTTP\/1.1 200 /);
  });

  it('are not counted when the address is exempt', async () => {
    const port = await serve({ request: answering }, { connections: new ConnectionLimit(1, ['127.0.0.0/8']) });
    const answers = await Promise.all([open(port), open(port), open(port)]);
    expect(answers.map(({ answer }) => answer.slice(0, 12))).toEqual(Array(3).fill('HTTP/1.1 200'));
  });

  it('behind a trusted proxy are each client’s current requests, and starve no other client', async () => {
    const held: (() => void)[] = [];
    const port = await serve(
      {
        async request({ url }, response) {
          if (url === '/hold') await new Promise<void>((resolve) => held.push(resolve));
          response.end('ok');
        },
      },
      { connections: new ConnectionLimit(1, ['127.0.0.1']), trustedProxies: ['127.0.0.1'] },
    );
    const ask = async (path: string, client: string) => {
      const outgoing = get({ port, host: '127.0.0.1', path, agent: false, headers: { 'X-Forwarded-For': client } });
      const [response] = await once(outgoing, 'response');
      await bodyOf(response);
      return response.statusCode;
    };
    const holding = ask('/hold', '198.51.100.1');
    await expect.poll(() => held.length).toBe(1);
    expect(await ask('/', '198.51.100.1')).toBe(429);
    expect(await ask('/', '198.51.100.2')).toBe(200);
    held[0]?.();
    expect(await holding).toBe(200);
    expect(await ask('/', '198.51.100.1')).toBe(200);
  });

  it('are counted together for the /64 of an IPv6 subscriber', () => {
    const limit = new ConnectionLimit(1);
    const release = limit.take('2001:db8::1');
    expect(limit.take('2001:db8::2')).toBeUndefined();
    expect(limit.take('2001:db8:0:1::1')).toBeDefined();
    release?.();
    release?.();
    expect(limit.take('2001:db8::2')).toBeDefined();
    expect(limit.take('2001:db8::3')).toBeUndefined();
  });
});
