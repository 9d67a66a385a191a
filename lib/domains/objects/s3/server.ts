import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { now } from '@/lib/clock';
import { clientAddress } from '@/lib/core/api/client-address';
import { newId } from '@/lib/core/db/id';
import { log } from '@/lib/log';
import { isCallersAddress } from '@/lib/service-address';
import { settings } from '@/lib/settings';
import { countSent } from '../store/usage';
import { type Asked, type BucketRow, identify, identifyBucket, identifyKnown } from './access';
import { logRequest } from './access-log';
import type { Answer } from './answer';
import { discardRest, gather, SMALL_BYTES, steadily } from './body';
import { corsHeaders } from './cors';
import { S3Error } from './errors';
import { s3ErrorOf } from './errors-of';
import { AccessChanged, isSmallPut } from './objects';
import { addressed, header, Query, type S3Request } from './request';
import { carryOut } from './routes';

/** Time for the head of a request. */
const HEAD_MS = 30_000;
/** Time for a request, with its upload. */
const UPLOAD_MS = 24 * 3_600_000;
const MOST_HEADERS_BYTES = 32 * 1024;
const FINISH_MS = 30_000;
const ignore = () => {};

/** What is known of a request so far; the bucket also where the signature is refused. */
type SeenRequest = { request?: S3Request; asked?: Asked; bucket?: BucketRow | undefined };

/** Takes a place for a connection of an address; undefined: it has too many. */
export type Connections = { take(address: string): (() => void) | undefined };

/** The S3 endpoint at an address. @returns a function that stops it: current requests may finish */
export async function listenS3(
  { host, port }: { host: string; port: number },
  connections: Connections,
  headMs = HEAD_MS,
): Promise<{ port: number; stop(): Promise<void> }> {
  const server = createServer({
    keepAliveTimeout: 65_000,
    headersTimeout: headMs,
    connectionsCheckingInterval: headMs / 6,
    requestTimeout: UPLOAD_MS,
    maxHeaderSize: MOST_HEADERS_BYTES,
  });
  server.on('connection', (socket: Socket) => {
    const release = connections.take(socket.remoteAddress ?? '');
    if (!release) return void refuseSocket(socket, 503, 'ServiceUnavailable');
    socket.once('close', release);
  });
  const serve = (request: IncomingMessage, response: ServerResponse, expects: boolean) =>
    answer(request, response, expects).catch((error) => {
      log.error({ err: error }, 'a request of object storage failed');
      response.destroy();
    });
  server.on('request', (request, response) => serve(request, response, false));
  // The client waits with its bytes: what is refused is never sent.
  server.on('checkContinue', (request, response) => serve(request, response, true));
  // No other expectation has a meaning in S3.
  server.on('checkExpectation', (request, response) => serve(request, response, false));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const code = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'RequestTimeout' : 'InvalidRequest';
    if (socket.writable) refuseSocket(socket, 400, code);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound ? bound.port : port,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      const limit = setTimeout(() => server.closeAllConnections(), FINISH_MS);
      await closed;
      clearInterval(sweep);
      clearTimeout(limit);
    },
  };
}

function refuseSocket(
  socket: Socket,
  status: number,
  code: 'InvalidRequest' | 'RequestTimeout' | 'ServiceUnavailable',
): void {
  const body = new S3Error(code).body('', newId());
  socket.on('error', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${code}\r\nConnection: close\r\nContent-Type: application/xml\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

/** The body of a request, once someone reads it. */
async function* streamed(request: IncomingMessage, response: ServerResponse, expects: boolean) {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  if (isAway(response)) gone.abort();
  if (expects) response.writeContinue();
  // A body that is refused in its middle is still read on, see `discardRest`.
  yield* steadily(request.iterator({ destroyOnReturn: false }), gone.signal);
}

/** A small body in one piece, once someone reads it; the same for everyone who does. */
function gathered(request: IncomingMessage, response: ServerResponse, expects: boolean): AsyncIterable<Uint8Array> {
  let whole: Promise<Uint8Array> | undefined;
  return {
    async *[Symbol.asyncIterator]() {
      if (!whole && expects) response.writeContinue();
      whole ??= gather(request);
      const piece = await whole;
      if (piece.byteLength > 0) yield piece;
    },
  };
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Whether the client is gone. */
const isAway = (response: ServerResponse) => response.destroyed;

function parse(message: IncomingMessage, id: string, response: ServerResponse, expects: boolean): S3Request {
  const { trustedProxies, s3 } = settings();
  const target = message.url ?? '/';
  // Some proxies and clients send the whole address.
  const whole = /^https?:\/\/[^/?]*(.*)$/.exec(target)?.[1] ?? target;
  const [rawPath = '/', ...search] = whole.split('?');
  const forwarded = message.headers['x-forwarded-for'];
  const own = addressOf(message.socket);
  const address = forwarded === undefined ? own : clientAddress(own, String(forwarded), trustedProxies);
  const isProxied = address !== own;
  const isSmall = Number(message.headers['content-length'] ?? Number.NaN) <= SMALL_BYTES;
  return {
    id,
    at: now(),
    method: message.method ?? 'GET',
    rawPath: rawPath.startsWith('/') ? rawPath : `/${rawPath}`,
    query: new Query(search.join('?')),
    headers: message.headers,
    rawHeaders: message.rawHeaders,
    ...addressed(rawPath.startsWith('/') ? rawPath : `/${rawPath}`, message.headers.host, s3.domain),
    address,
    isSecure: isProxied && message.headers['x-forwarded-proto'] === 'https',
    body: isSmall ? gathered(message, response, expects) : streamed(message, response, expects),
    isSmall,
  };
}

const addresses = new WeakMap<Socket, string>();

/** The address of a connection's other end. */
function addressOf(socket: Socket): string {
  const address = addresses.get(socket) ?? clientAddress(socket.remoteAddress ?? '', null, []);
  addresses.set(socket, address);
  return address;
}

async function answer(message: IncomingMessage, response: ServerResponse, expects: boolean): Promise<void> {
  // Cheaper than a UUIDv7, and nothing sorts by it.
  const id = randomUUID().replaceAll('-', '').toUpperCase();
  // A client that goes away is no failure; whoever reads its body hears of it.
  message.on('error', ignore);
  const began = performance.now();
  const seen: SeenRequest = {};
  let reply: Answer;
  let code: string | undefined;
  try {
    seen.request = parse(message, id, response, expects);
    reply = await replyTo(seen.request, seen);
  } catch (error) {
    const known = s3ErrorOf(error) ?? ours(error, isAway(response));
    reply = refusal(known, seen.request, id);
    ({ code } = known);
  }
  const sent = await send(message, response, reply, id, seen);
  const bucket = seen.asked?.bucket ?? seen.bucket;
  if (!seen.request || !bucket) return;
  const access_key = seen.asked?.holder?.access_key;
  const received = Number(message.headers['content-length'] ?? 0);
  const ended = { status: reply.status, code, access_key, received, sent };
  logRequest(seen.request, bucket, ended, Math.round(performance.now() - began));
}

/** A failure that is not the client's. */
function ours(error: unknown, isClientAway: boolean): S3Error {
  const isAway = error instanceof Error && error.name === 'DatabaseAway';
  if (!isClientAway && !isAway) log.error({ err: error }, 'a request of object storage failed');
  return new S3Error(isAway ? 'ServiceUnavailable' : 'InternalError');
}

async function replyTo(request: S3Request, seen: SeenRequest): Promise<Answer> {
  if (request.method === 'OPTIONS') {
    const bucket = request.bucket === undefined ? undefined : await identifyBucket(request.bucket);
    seen.asked = { holder: undefined, bucket, claim: undefined, secret: '' };
    if (header(request, 'origin') === undefined || header(request, 'access-control-request-method') === undefined)
      throw new S3Error('InvalidRequest', 'Insufficient information. Origin request header needed.');
    if (Object.keys(corsHeaders(request, bucket?.cors)).length === 0)
      throw new S3Error('AccessDenied', 'CORSResponse: This CORS request is not allowed.');
    return { status: 200 };
  }
  if (isSmallPut(request)) {
    try {
      seen.asked = identifyKnown(request);
      if (seen.asked) return await carryOut({ ...seen.asked, request });
    } catch (error) {
      // Nothing was stored, and what is refused is refused for what is true now.
      if (!(error instanceof AccessChanged) && !s3ErrorOf(error)) throw error;
    }
  }
  seen.asked = await identify(request, (bucket) => {
    seen.bucket = bucket;
  });
  return carryOut({ ...seen.asked, request });
}

function refusal(error: S3Error, request: S3Request | undefined, id: string): Answer {
  const hasBody = error.status !== 304 && request?.method !== 'HEAD';
  return {
    status: error.status,
    headers: { ...error.more.headers, ...(hasBody ? { 'Content-Type': 'application/xml' } : {}) },
    ...(hasBody ? { body: error.body(request?.rawPath ?? '', id) } : {}),
  };
}

/** @returns the bytes of the body that were sent */
async function send(
  message: IncomingMessage,
  response: ServerResponse,
  { status, headers = {}, body }: Answer,
  id: string,
  { request, asked }: SeenRequest,
): Promise<number> {
  let total = 0;
  const cors = request ? corsHeaders(request, asked?.bucket?.cors) : {};
  const all: Record<string, string> = {
    ...cors,
    ...headers,
    'x-amz-request-id': id,
    'x-amz-id-2': id,
    Server: 'Nephele',
  };
  const isLeft = hasBody(message) && !message.complete;
  if (isLeft) all.Connection = 'close';
  if (typeof body === 'string' || Buffer.isBuffer(body)) all['Content-Length'] = String(Buffer.byteLength(body));
  else if (body) all['Content-Length'] = String(body.size);
  else if (message.method !== 'HEAD' && status !== 204 && status !== 304) all['Content-Length'] ??= '0';
  response.writeHead(status, inOrder(all));
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    if (isLeft) response.write(body);
    await end(isLeft ? undefined : body);
    if (message.method !== 'HEAD') sent(Buffer.byteLength(body));
  } else if (body) {
    if (isLeft) message.resume();
    // A client that goes away is no failure.
    await pipeline(
      Readable.from(counted(body.stream), { objectMode: false, highWaterMark: 512 * 1024 }),
      response,
    ).catch((error) => {
      if (response.destroyed && !message.socket.destroyed) log.warn({ err: error }, 'an object could not be sent');
    });
  } else await end();
  return total;

  /** The end of an answer closes the connection if more of the body may come, and what comes then takes the answer from the client. */
  async function end(last?: string | Buffer): Promise<void> {
    if (isLeft) {
      response.flushHeaders();
      await discardRest(message);
    }
    response.end(last);
  }

  /** Bytes of a body are egress, unless they stay in a network of the platform. */
  function sent(bytes: number): void {
    total += bytes;
    if (asked?.bucket && !isCallersAddress(message.socket.remoteAddress ?? '')) countSent(asked.bucket, bytes);
  }

  async function* counted(stream: AsyncIterable<Uint8Array>) {
    let bytes = 0;
    try {
      for await (const piece of stream) {
        yield piece;
        bytes += piece.byteLength;
      }
    } finally {
      sent(bytes);
    }
  }
}

/** Node reads `Content-Disposition` as UTF-8 once it knows the length, and then refuses bytes that are no ASCII. */
function inOrder(headers: Record<string, string>): Record<string, string> {
  const { 'Content-Disposition': disposition, ...others } = headers;
  return disposition === undefined ? headers : { 'Content-Disposition': disposition, ...others };
}
