import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readEvents } from '@/lib/core/events/read-events';
import { type Exclusively, followEvents, type LiveMessage } from './live';

/** A minimal version of Web Locks: first come, first served. Node 20 has none. */
function inMemoryLocks(): Exclusively {
  let last = Promise.resolve();
  return (_name, signal, work) => {
    last = last.then(() => (signal.aborted ? undefined : work()));
    return last;
  };
}

let server: Server;
let streams: ServerResponse[];
let address: string;
let tabs: AbortController[];

beforeEach(async () => {
  streams = [];
  tabs = [];
  server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write('event: resync\ndata: {"version":"1"}\n\n');
    streams.push(response);
    response.on('close', () => streams.splice(streams.indexOf(response), 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  for (const tab of tabs) tab.abort();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function openTab(exclusively: Exclusively, silenceMs?: number) {
  const tab = new AbortController();
  tabs.push(tab);
  const heard: LiveMessage[] = [];
  followEvents({
    name: 'project',
    open: (signal) => fetch(address, { signal }),
    onMessage: (message) => heard.push(message),
    signal: tab.signal,
    exclusively,
    silenceMs,
    backoffMs: () => 5,
  });
  return { heard, close: () => tab.abort() };
}

const until = (condition: () => void) => vi.waitFor(condition, { timeout: 3000, interval: 5 });

describe('live pages', () => {
  test('tabs share one stream, and every tab hears each hint', async () => {
    const locks = inMemoryLocks();
    const first = openTab(locks);
    await until(() => expect(first.heard).toContainEqual({ kind: 'resync', version: '1' }));
    const second = openTab(locks);
    streams[0]?.write('event: hint\ndata: {"topic":"secrets","resource_id":"1"}\n\n');
    await until(() => {
      expect(first.heard).toContainEqual({ kind: 'hint', topic: 'secrets' });
      expect(second.heard).toContainEqual({ kind: 'hint', topic: 'secrets' });
    });
    expect(streams).toHaveLength(1);
  });

  test('when the tab with the stream closes, another takes over and resyncs', async () => {
    const locks = inMemoryLocks();
    const first = openTab(locks);
    await until(() => expect(first.heard).toContainEqual({ kind: 'resync', version: '1' }));
    const second = openTab(locks);
    first.close();
    await until(() => expect(second.heard).toContainEqual({ kind: 'resync', version: '1' }));
    await until(() => expect(streams).toHaveLength(1));
  });

  test('a broken stream is reported, reopened, and starts with a resync', async () => {
    const { heard } = openTab(inMemoryLocks());
    await until(() => expect(heard).toEqual([{ kind: 'resync', version: '1' }]));
    streams[0]?.destroy();
    await until(() => expect(heard.slice(1, 3)).toEqual([{ kind: 'lost' }, { kind: 'resync', version: '1' }]));
  });

  test('a silent stream counts as broken', async () => {
    const { heard } = openTab(inMemoryLocks(), 40);
    await until(() => expect(heard).toContainEqual({ kind: 'lost' }));
  });

  test('an offline browser reports it at once, and continues when it is back online', async () => {
    const browser = new EventTarget();
    vi.stubGlobal('addEventListener', browser.addEventListener.bind(browser));
    vi.stubGlobal('removeEventListener', browser.removeEventListener.bind(browser));
    const { heard } = openTab(inMemoryLocks());
    await until(() => expect(heard).toHaveLength(1));
    browser.dispatchEvent(new Event('offline'));
    await until(() => expect(heard.map(({ kind }) => kind)).toEqual(['resync', 'lost', 'resync']));
    vi.unstubAllGlobals();
  });

  test('a tab opened while the stream is down is informed', async () => {
    const locks = inMemoryLocks();
    const first = openTab(locks);
    await until(() => expect(streams).toHaveLength(1));
    server.close();
    server.closeAllConnections();
    await until(() => expect(first.heard).toContainEqual({ kind: 'lost' }));
    const second = openTab(locks);
    await until(() => expect(second.heard).toContainEqual({ kind: 'lost' }));
  });
});

describe('an event stream', () => {
  test.each([
    ['lines cut anywhere', ['event: hi', 'nt\nda', 'ta: 1\n', '\n'], [{ name: 'hint', data: '1' }]],
    ['CRLF cut in its middle', ['data: 1\r', '\n\r\n'], [{ name: 'message', data: '1' }]],
    ['data of several lines', ['data: 1\ndata: 2\n\n'], [{ name: 'message', data: '1\n2' }]],
    ['heartbeats', [': still here\n\n', 'data:x\n\n'], [{ name: 'message', data: 'x' }]],
    ['an event that never ended', ['data: 1\n'], []],
  ])('is parsed with %s', async (_, pieces, expected) => {
    const bytes = new TextEncoder();
    const body = new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(bytes.encode(piece));
        controller.close();
      },
    });
    const events = [];
    for await (const event of readEvents(body, () => {})) events.push(event);
    expect(events).toEqual(expected);
  });
});
