import { execFile } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';

/** The result of a closed-loop load. */
export type Load = { answers: number; perSecond: number; p50_ms: number; p99_ms: number };

export type HttpRequest = { method: string; path: string; host?: string; token?: string | undefined; body?: string };

/**
 * Runs closed-loop callers, each with its own connection and request, for a time. Does as little work as possible,
 * because the server shares this machine.
 * @throws when an answer does not have the expected status
 */
export async function loadHttp(
  port: number,
  requests: readonly HttpRequest[],
  seconds: number,
  { status = 200, address = '127.0.0.1' }: { status?: number; address?: string | undefined } = {},
): Promise<Load> {
  const until = performance.now() + seconds * 1000;
  const began = performance.now();
  const times = await Promise.all(
    requests.map((request) => caller({ port, address }, bytesOf(request, port), until, status)),
  );
  return summary(times.flat(), (performance.now() - began) / 1000);
}

/** Like `loadHttp`, by a process of its own: for platforms that run in this one. */
export async function loadApart(port: number, requests: readonly HttpRequest[], seconds: number): Promise<Load> {
  const args = ['--import', 'tsx', 'bench/load-process.ts', String(port), String(seconds), JSON.stringify(requests)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as Load;
}

/** Throughput and percentiles from response times in milliseconds. */
export function summary(times: readonly number[], seconds: number): Load {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { answers: times.length, perSecond: times.length / seconds, p50_ms: at(0.5), p99_ms: at(0.99) };
}

function bytesOf({ method, path, host = '127.0.0.1', token, body = '' }: HttpRequest, port: number): Buffer {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}:${port}`,
    ...(token ? [`Authorization: Bearer ${token}`] : []),
    ...(body ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`] : []),
    '',
    body,
  ];
  return Buffer.from(lines.join('\r\n'));
}

function caller(
  { port, address }: { port: number; address: string },
  request: Buffer,
  until: number,
  status: number,
): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const times: number[] = [];
    let sentAt = 0;
    let received = '';
    const socket: Socket = connect({ port, host: address, noDelay: true });
    const send = () => {
      sentAt = performance.now();
      socket.write(request);
    };
    socket.setEncoding('latin1');
    socket.once('connect', send);
    socket.once('error', reject);
    socket.on('data', (chunk: string) => {
      received += chunk;
      const end = received.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
      if (received.length < end + 4 + length) return;
      if (!received.startsWith(`HTTP/1.1 ${status} `)) {
        socket.destroy();
        reject(new Error(`expected ${status}: ${received}`));
        return;
      }
      received = '';
      const now = performance.now();
      times.push(now - sentAt);
      if (now < until) send();
      else socket.end(() => resolve(times));
    });
  });
}
