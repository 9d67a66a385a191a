import { existsSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { now } from '@/lib/clock';
import { type Caller, callerKey, includesRole } from '@/lib/core/api/caller';
import { ApiError } from '@/lib/core/api/errors';
import { RateLimiter } from '@/lib/core/api/rate-limit';
import { newId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import { log } from '@/lib/log';
import { authenticate } from '@/lib/people/identity/authenticate';
import { settings } from '@/lib/settings';
import { readFunctionHost } from '../addresses';
import { poolHere } from '../pool/here';
import type { PoolAnswer } from '../pool/pool';
import { refusalOf } from '../pool/refusal';
import { SYNC_PAYLOAD_BYTES, type Trigger } from '../schema';
import { eventOf, responseOf } from './event';
import { functionSocket, URL_SOCKET } from './sockets';

/** Callers of a function's URL from everywhere may call this many times as often as one address. */
const EVERYWHERE = 10;

type Target = {
  id: string;
  project_id: string;
  name: string;
  url_auth: 'api_token' | 'none' | null;
  is_suspended: boolean;
  functions_epoch: number;
};

const findTarget = (condition: Sql) =>
  queryOne<Target>(sql`SELECT f.id, f.project_id, f.name, f.url_auth, p.status = 'suspended' AS is_suspended, p.functions_epoch
    FROM functions f JOIN projects p ON p.id = f.project_id WHERE ${condition}`);

/** An answer of the platform's own. */
class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

/** The functions of a cell as HTTP servers behind the gateway: one socket for all URLs, and one for each function of a route. */
export class FunctionFront {
  private readonly servers = new Map<string, Server>();
  private readonly limits: { address: RateLimiter; everywhere: RateLimiter };

  /** @param clock times the rate limits */
  constructor(
    private readonly cell: string,
    private readonly clock: () => Date = now,
  ) {
    const { functionUrlRatePerMinute: rate } = settings();
    this.limits = {
      address: new RateLimiter(rate, rate),
      everywhere: new RateLimiter(rate * EVERYWHERE, rate * EVERYWHERE),
    };
  }

  /** Listens in the folder of the gateway's sockets, for URLs and for these functions, and for no others. */
  async ensure(folder: string, functionIds: readonly string[]): Promise<void> {
    const wanted = new Map([
      [join(folder, URL_SOCKET), undefined],
      ...functionIds.map((id) => [join(folder, functionSocket(id)), id] as const),
    ]);
    for (const [path, server] of this.servers) {
      if (wanted.has(path) && existsSync(path)) continue;
      server.close();
      this.servers.delete(path);
      if (!wanted.has(path)) await rm(path, { force: true });
    }
    for (const [path, id] of wanted) if (!this.servers.has(path)) await this.listen(path, id);
  }

  /** Stops listening. */
  async close(): Promise<void> {
    for (const [path, server] of this.servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(path, { force: true });
    }
    this.servers.clear();
  }

  private async listen(path: string, functionId: string | undefined): Promise<void> {
    await rm(path, { force: true });
    const server = createServer({ requestTimeout: 60_000 }, (request, response) => {
      this.serve(request, response, functionId).catch((error) => {
        log.error({ err: error }, 'a request for a function failed');
        response.destroy();
      });
    });
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
    // The gateway's user connects; its folder lets nobody else in.
    await chmod(path, 0o666);
    this.servers.set(path, server);
  }

  private async serve(
    request: IncomingMessage,
    response: ServerResponse,
    functionId: string | undefined,
  ): Promise<void> {
    try {
      const target = functionId === undefined ? await this.byHost(request) : await this.byId(functionId);
      const caller = functionId === undefined ? await this.admitted(request, target) : null;
      await this.run(request, response, target, functionId === undefined ? 'url' : 'route', caller);
    } catch (error) {
      const { status, headers, message } = error instanceof Refusal ? error : refusalOfPool(error);
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify({ message }));
      request.resume();
    }
  }

  private async byHost({ headers }: IncomingMessage): Promise<Target> {
    const host = (headers.host ?? '').replace(/:\d+$/, '').replace(/\.$/, '').toLowerCase();
    const named = readFunctionHost(host);
    const target =
      named &&
      (await findTarget(sql`p.slug = ${named.slug}::text AND f.name = ${named.name}::text AND f.url_auth IS NOT NULL`));
    if (!target) throw new Refusal(404, 'There is no function with this address.');
    if (target.is_suspended) throw suspended();
    return target;
  }

  private async byId(id: string): Promise<Target> {
    const target = await findTarget(sql`f.id = ${id}::uuid`);
    if (!target) throw new Refusal(502, 'The function does not exist any more.');
    if (target.is_suspended) throw suspended();
    return target;
  }

  /** @returns who called, where the function asks. @throws Refusal 401, 403, 429 */
  private async admitted(request: IncomingMessage, { id, project_id, url_auth }: Target): Promise<Caller | null> {
    const address =
      String(request.headers['x-forwarded-for'] ?? '')
        .split(',')[0]
        ?.trim() ?? '';
    const at = this.clock().getTime();
    const own = this.limits.address.take(`${id} ${address}`, at);
    const all = own.allowed ? this.limits.everywhere.take(id, at) : own;
    if (!own.allowed || !all.allowed)
      throw new Refusal(429, 'Too many requests.', {
        'retry-after': String(Math.max(1, own.allowed ? all.reset_s : own.reset_s)),
      });
    if (url_auth === 'none') return null;
    const headers = new Headers();
    const { authorization } = request.headers;
    if (authorization !== undefined) headers.set('authorization', authorization);
    headers.set('x-project-id', project_id);
    const caller = authorization === undefined ? undefined : await authenticate(headers, 'tenant').catch(notTheirs);
    if (!caller)
      throw new Refusal(401, 'Send an API token of the project: Authorization: Bearer neph_…', {
        'www-authenticate': 'Bearer',
      });
    const membership = caller.kind === 'administrator' ? null : caller.membership;
    if (membership?.project_id !== project_id || !includesRole(membership.role, 'member'))
      throw new Refusal(403, 'This token may not call functions of this project.');
    // The function has no business with the credential of its caller.
    delete request.headers.authorization;
    return caller;
  }

  private async run(
    request: IncomingMessage,
    response: ServerResponse,
    target: Target,
    trigger: Trigger,
    caller: Caller | null,
  ): Promise<void> {
    const pool = poolHere(this.cell);
    if (!pool) throw new Refusal(503, 'Functions are starting.', { 'retry-after': '2' });
    const invocation_id = newId();
    const event = eventOf({
      function_id: target.id,
      invocation_id,
      method: request.method ?? 'GET',
      url: request.url ?? '/',
      headers: request.headers,
      body: await bodyOf(request),
      at: now(),
    });
    const answer = await pool.invoke({
      invocation_id,
      project_id: target.project_id,
      function_id: target.id,
      epoch: target.functions_epoch,
      trigger,
      caller: caller && { kind: caller.kind, id: callerKey(caller) },
      payload: event,
    });
    const sent = writeAnswer(response, request.method ?? 'GET', invocation_id, answer);
    // The gateway itself counts what its routes send.
    if (trigger === 'url')
      pool.egress.add({ project_id: target.project_id, function_id: target.id, name: target.name }, sent);
  }
}

const suspended = () => new Refusal(503, 'This service is suspended.', { 'retry-after': '300' });

function notTheirs(error: unknown): undefined {
  if (error instanceof ApiError) return undefined;
  throw error;
}

function refusalOfPool(error: unknown): Refusal {
  const { code, message } = refusalOf(error);
  switch (code) {
    case 'RATE_LIMITED':
      return new Refusal(429, message, { 'retry-after': '1' });
    case 'RESOURCE_NOT_FOUND':
      return new Refusal(404, 'There is no function with this address.');
    case 'INTERNAL_ERROR':
      return new Refusal(500, 'Internal Server Error');
    default:
      return new Refusal(503, 'The function cannot run at present.', { 'retry-after': '5' });
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request) {
    const bytes: Buffer = piece;
    size += bytes.length;
    // In base64, as events have it.
    if (size > (SYNC_PAYLOAD_BYTES * 3) / 4) throw new Refusal(413, 'The body is too large.');
    pieces.push(bytes);
  }
  return Buffer.concat(pieces);
}

/** Why a function failed is for its own project: its log has it. @returns the bytes of head and body */
function writeAnswer(
  response: ServerResponse,
  method: string,
  invocationId: string,
  { status, result }: PoolAnswer,
): number {
  const made = status === 'succeeded' ? responseOf(result) : undefined;
  const failed = {
    status: status === 'timed_out' ? 504 : 502,
    headers: [['content-type', 'application/json']] as [string, string][],
  };
  const {
    status: code,
    headers,
    body,
  } = made ?? { ...failed, body: Buffer.from('{"message":"Internal Server Error"}') };
  response.statusCode = code;
  for (const [name, value] of headers) response.appendHeader(name, value);
  response.setHeader('x-nephele-invocation-id', invocationId);
  const hasBody = method !== 'HEAD' && code !== 204 && code !== 304;
  if (hasBody) response.setHeader('content-length', body.length);
  response.end(hasBody ? body : undefined);
  return (hasBody ? body.length : 0) + headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 40);
}
