import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { isPublic, parseAddress } from './address';
import { checkedFetch, checkUrl, OutgoingError, type OutgoingPolicy } from './checked-fetch';

/** A self-signed certificate for `listed.test`, with its key; worthless elsewhere. */
const nobody = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg4cSIUZIdX9Xpa9N9
WGNnI+N7W5pgge/uxbB94gVVCnqhRANCAAQBH7091Ww+pChf4k1KKEQ4HTlzcmhu
iY+O1/pYg4CNxTOk3WAIxRErxAORNOSOlk9sVZCJpRGlhUN4/KaA0sZQ
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUUXHh/G9nCcNsYOA7W4y173B4RkwwCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLbGlzdGVkLnRlc3QwIBcNMjYxMTIxMDk0MjE2WhgPMjEyNjEw
MjgwOTQyMTZaMBYxFDASBgNVBAMMC2xpc3RlZC50ZXN0MFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAEAR+9PdVsPqQoX+JNSihEOB05c3JobomPjtf6WIOAjcUzpN1g
CMURK8QDkTTkjpZPbFWQiaURpYVDePymgNLGUKNrMGkwHQYDVR0OBBYEFBeONhsj
9maPJWPz3M95l8e1doevMB8GA1UdIwQYMBaAFBeONhsj9maPJWPz3M95l8e1doev
MA8GA1UdEwEB/wQFMAMBAf8wFgYDVR0RBA8wDYILbGlzdGVkLnRlc3QwCgYIKoZI
zj0EAwIDSAAwRQIhAIpzMZ12jZJo1jn1MvskD/pJRcUD8QTqa2cXDLy3j+GuAiAJ
gxrCsrszTXFQDw9F7u2DQY1j/811JYHmP1P+XtMC3g==
-----END CERTIFICATE-----`,
};

const running: Server[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
});

/** A server on a local address that counts its requests. */
async function serve(
  address: string,
  listener: RequestListener,
  create: (l: RequestListener) => Server = createServer,
) {
  const seen = { requests: 0 };
  const server = create((request, response) => {
    seen.requests += 1;
    listener(request, response);
  });
  running.push(server);
  await new Promise<void>((listening) => server.listen(0, address, listening));
  return { port: (server.address() as AddressInfo).port, seen };
}

const hello: RequestListener = (_, response) => response.end('hello');
const nowhere: OutgoingPolicy['resolve'] = () => Promise.reject(new Error('no name is looked up here'));
const policy = (allowed: string[], resolve = nowhere): OutgoingPolicy => ({ allowed, resolve });
const names = (...addresses: string[]) =>
  policy([], async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));

describe('which URLs may be called', () => {
  const refused = [
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0/',
    'https://10.0.0.1/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://100.64.0.1/',
    'https://100.100.100.200/',
    'https://168.63.129.16/',
    'https://192.0.0.192/',
    'https://198.18.0.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:a00:1]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[fe80::1]/',
    'https://[fec0::1]/',
    'https://[fd00:ec2::254]/',
    'https://[ff02::1]/',
  ];
  test.each(refused)('%s is refused without a connection', async (url) => {
    await expect(checkedFetch(url, {}, policy([]))).rejects.toThrow(/not on the public internet/);
  });

  test.each([
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'example.com',
  ])('%s is refused for its scheme', (url) => expect(() => checkUrl(url, [])).toThrow(OutgoingError));

  test('a public https URL is accepted, unless it contains credentials', () => {
    expect(checkUrl('https://example.com:8443/hook?x=1', []).host).toBe('example.com:8443');
    expect(() => checkUrl('https://me:secret@example.com/', [])).toThrow(/credentials/);
  });

  test('the operator’s allow list admits its entries and nothing else', () => {
    const allowed = ['10.0.0.0/8', 'fd00::/8', 'hooks.corp.example', '*.lab.example'];
    for (const url of [
      'http://10.1.2.3/',
      'https://[fd00::1]/',
      'http://Hooks.Corp.Example/',
      'http://a.b.lab.example/',
    ]) {
      expect(checkUrl(url, allowed).href).toContain('http');
    }
    for (const url of [
      'http://11.0.0.1/',
      'http://lab.example/',
      'http://evil-hooks.corp.example/',
      'https://127.0.0.1/',
    ]) {
      expect(() => checkUrl(url, allowed), url).toThrow(OutgoingError);
    }
  });

  test('no refused IPv4 address becomes public when written as IPv6', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(octet, octet, octet, octet, (...octets) => {
        const plain = parseAddress(octets.join('.'));
        const mapped = parseAddress(`::ffff:${octets.join('.')}`);
        const wrapped = parseAddress(`64:ff9b::${octets.join('.')}`);
        if (!plain || !mapped || !wrapped) throw new Error('an address was not read');
        return isPublic(mapped) === isPublic(plain) && !isPublic(wrapped);
      }),
    );
  });
});

describe('names', () => {
  test('a name that resolves to this machine is refused, by the system’s resolver too', async () => {
    const { port, seen } = await serve('127.0.0.1', hello);
    await expect(checkedFetch(`https://localhost:${port}/`)).rejects.toThrow('localhost is not on the public internet');
    expect(seen.requests).toBe(0);
  });

  test('one private address among public ones is enough to refuse', async () => {
    const { port, seen } = await serve('127.0.0.1', hello);
    for (const answer of [names('127.0.0.1', '8.8.8.8'), names('8.8.8.8', '127.0.0.1'), names('::ffff:127.0.0.1')]) {
      await expect(checkedFetch(`https://two-faced.test:${port}/`, {}, answer)).rejects.toThrow(/public internet/);
    }
    expect(seen.requests).toBe(0);
  });

  test('the connection goes to the checked address: the name is not resolved again', async () => {
    const { port, seen } = await serve('127.0.0.2', hello);
    const trap = await serve('127.0.0.1', hello);
    const answers = ['127.0.0.2', '127.0.0.1', '127.0.0.1'];
    let asked = 0;
    const resolve = async () => [{ address: answers[asked++] ?? '', family: 4 }];
    const url = `http://rebinding.test:${port}/`;
    const { body } = await checkedFetch(url, {}, policy(['rebinding.test', '127.0.0.2'], resolve));
    expect([body.toString(), asked, seen.requests, trap.seen.requests]).toEqual(['hello', 1, 1, 0]);
  });

  test('an unlisted name may resolve to a listed address', async () => {
    const { port } = await serve('127.0.0.1', hello, (listener) => createTlsServer(nobody, listener));
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const call = checkedFetch(`https://listed.test:${port}/`, {}, policy(['127.0.0.0/8'], resolve));
    await expect(call, 'the connection is made, and the certificate is of nobody').rejects.toThrow(
      /no valid certificate/,
    );
  });

  test('a name without an address is reported as such', async () => {
    await expect(checkedFetch('https://empty.test/', {}, names())).rejects.toThrow('empty.test has no IP address.');
  });
});

describe('the call itself', () => {
  const local = policy(['127.0.0.1']);

  test('method, headers and body arrive, and so do status, headers and body of the answer', async () => {
    const { port } = await serve('127.0.0.1', async (request, response) => {
      const sent = (await request.toArray()).join('');
      response.writeHead(202, { 'X-Seen': `${request.method} ${request.url} ${request.headers['x-mine']}` });
      response.end(sent);
    });
    const headers = { 'X-Mine': 'yes' };
    const answer = await checkedFetch(`http://127.0.0.1:${port}/a?b`, { method: 'POST', headers, body: 'data' }, local);
    expect([answer.status, answer.headers['x-seen'], answer.body.toString()]).toEqual([202, 'POST /a?b yes', 'data']);
  });

  test('a redirect is returned, not followed', async () => {
    const inner = await serve('127.0.0.2', hello);
    const { port } = await serve('127.0.0.1', (_, response) => {
      response.writeHead(302, { Location: `http://127.0.0.2:${inner.port}/` }).end();
    });
    expect((await checkedFetch(`http://127.0.0.1:${port}/`, {}, local)).status).toBe(302);
    expect(inner.seen.requests).toBe(0);
  });

  test('an answer that is too long is cut off, whatever length it claims', async () => {
    const { port } = await serve('127.0.0.1', (_, response) => {
      const more = () => response.write('x'.repeat(4096), (error) => error ?? more());
      more();
    });
    const call = checkedFetch(`http://127.0.0.1:${port}/`, { most_bytes: 10_000 }, local);
    await expect(call).rejects.toThrow('The response is larger than 10000 bytes.');
  });

  test('an endless slow answer stops at the time limit', async () => {
    const { port } = await serve('127.0.0.1', (_, response) => void response.write('a'));
    const call = checkedFetch(`http://127.0.0.1:${port}/`, { timeout_ms: 100 }, local);
    await expect(call).rejects.toThrow(`127.0.0.1:${port} did not respond in time.`);
  });

  test('a name that never resolves stops at the time limit too', async () => {
    const never = policy(['slow.test'], () => new Promise(() => {}));
    await expect(checkedFetch('https://slow.test/', { timeout_ms: 50 }, never)).rejects.toThrow(
      /did not respond in time/,
    );
  });

  test('a caller who leaves aborts the call', async () => {
    const leaving = new AbortController();
    const { port } = await serve('127.0.0.1', () => leaving.abort());
    const call = checkedFetch(`http://127.0.0.1:${port}/`, { signal: leaving.signal }, local);
    await expect(call).rejects.toBeInstanceOf(OutgoingError);
  });

  test('a refused connection and a server that is not HTTP are reported as such', async () => {
    const server = createTcpServer((socket) => socket.end('SSH-2.0-x\r\n', () => socket.destroy()));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    await expect(checkedFetch(`http://127.0.0.1:${port}/`, {}, local)).rejects.toThrow(
      'did not send a valid response.',
    );
    await new Promise((closed) => server.close(closed));
    await expect(checkedFetch(`http://127.0.0.1:${port}/`, {}, local)).rejects.toThrow('refused the connection.');
  });
});
