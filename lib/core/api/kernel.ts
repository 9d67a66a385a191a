import { Hono } from 'hono';
import { now } from '@/lib/clock';
import { auditAction } from '@/lib/core/audit/action';
import { countRefusedRead, recordAudit } from '@/lib/core/audit/entry';
import { isDatabaseAway } from '@/lib/core/db/away';
import { newId } from '@/lib/core/db/id';
import { isDatabaseFull, isDiskFull, noteDiskFull } from '@/lib/core/db/room';
import { log } from '@/lib/log';
import { requestSeconds, unauthenticatedRequests } from '@/lib/metrics';
import { settings } from '@/lib/settings';
import { type Caller, callerKey, mustChangePassword } from './caller';
import { clientAddress } from './client-address';
import { prefersCsv } from './csv';
import { type AnyEndpoint, type Call, fullPath, type RateClass, Reply } from './endpoint';
import { ApiError, type ErrorCode } from './errors';
import { freeKey, holdKey, keepHeld, keptAnswer, RacedByTwin, requestKey } from './idempotency';
import { writeJson } from './json';
import { LightResponse } from './light-response';
import { Page } from './pagination';
import { decide, inProject } from './policy';
import { RateLimiter, type RateVerdict } from './rate-limit';
import {
  isUpload,
  JSON_BODY_BYTES,
  openUpload,
  parseForm,
  parseJsonBody,
  parseParams,
  parseQuery,
  readBody,
  refuseCardNumbers,
} from './request';
import { checkRefusal, checkResponse } from './response-check';
import { routesOf, siblingFor } from './routes';
import { requireSameOrigin } from './same-origin';

/** Identifies the caller of a request by its credential in a realm. */
export type Authenticate = (headers: Headers, realm: AnyEndpoint['realm']) => Promise<Caller | undefined>;

type Bindings = { incoming?: { socket?: { remoteAddress?: string } } };
type App = Hono<{ Bindings: Bindings }>;

/** Serves endpoints, each through the same steps. Unknown paths and wrong methods also get an error record. */
export function serve(endpoints: readonly AnyEndpoint[], authenticate: Authenticate): App {
  const app: App = new Hono();
  const limits = rateLimiters();

  for (const { pattern, siblings } of routesOf(endpoints)) {
    const allowed = siblings
      .map(({ method }) => method)
      .sort()
      .join(', ');
    app.all(pattern, (context) => {
      const endpoint = siblingFor(siblings, context.req.method);
      const socketAddress =
        context.env?.incoming?.socket?.remoteAddress ?? context.req.header('x-nephele-client-address') ?? '';
      const serving = new Serving(context.req.raw, socketAddress, authenticate, limits);
      if (!endpoint) {
        return serving.refuse(
          new ApiError('METHOD_NOT_ALLOWED', `${context.req.method} is not allowed here; use ${allowed}.`, {
            headers: { Allow: allowed },
          }),
        );
      }
      return serving.answer(endpoint, context.req.param());
    });
  }
  const unknown = (request: Request, socketAddress: string) =>
    new Serving(request, socketAddress, authenticate, limits).refuse(
      new ApiError('RESOURCE_NOT_FOUND', 'No such endpoint; see /docs for the full list.'),
    );
  app.notFound((context) => unknown(context.req.raw, context.env?.incoming?.socket?.remoteAddress ?? ''));
  app.onError((error, context) => {
    log.error({ err: error }, 'a request failed outside its endpoint');
    return new Serving(context.req.raw, '', authenticate, limits).refuse(internalError(error));
  });
  return app;
}

/** The status of requests in the access log whose caller left before the answer, as web servers write it. */
const CLIENT_CLOSED = 499;

type Limits = { callers: RateLimiter; anonymous: RateLimiter; projects: Record<ProjectRate, RateLimiter> };

/** Reads are limited per caller only. */
type ProjectRate = Exclude<RateClass, 'read'>;

function rateLimiters(): Limits {
  const s = settings();
  return {
    callers: new RateLimiter(s.rateLimitPerMinute, s.rateLimitBurst),
    anonymous: new RateLimiter(s.rateLimitAnonymousPerMinute, s.rateLimitAnonymousPerMinute),
    projects: {
      write: new RateLimiter(s.rateLimitProjectWritesPerMinute, s.rateLimitProjectWritesBurst),
      heavy: new RateLimiter(s.rateLimitProjectHeavyPerMinute, s.rateLimitProjectHeavyBurst),
    },
  };
}

/** Whether a list is requested as a file with all of its items. */
function isExport({ responses }: AnyEndpoint, headers: Headers): boolean {
  return prefersCsv(headers) && Object.values(responses).some((answer) => answer !== null && 'alternative' in answer);
}

/** One request on its way through the steps. */
class Serving {
  private readonly requestId: string;
  private readonly at = now();
  private readonly startedAt = performance.now();
  private readonly address: string;
  private rate: RateVerdict | undefined;

  constructor(
    private readonly request: Request,
    socketAddress: string,
    private readonly authenticate: Authenticate,
    private readonly limits: Limits,
  ) {
    const given = request.headers.get('x-request-id') ?? '';
    this.requestId = /^[\w.:-]{1,128}$/.test(given) ? given : newId();
    this.address = clientAddress(socketAddress, request.headers.get('x-forwarded-for'), settings().trustedProxies);
  }

  async answer(endpoint: AnyEndpoint, params: Record<string, string>): Promise<Response> {
    const { request } = this;
    const call: Call = {
      request_id: this.requestId,
      at: this.at,
      address: this.address,
      user_agent: (this.request.headers.get('user-agent') ?? '').slice(0, 300),
      caller: undefined,
      endpoint,
      // Created on demand: most calls never use it.
      get signal() {
        return request.signal;
      },
      record: { audited: false },
    };
    try {
      const response = await this.run(call, params);
      this.finish(endpoint, response.status, call);
      return response;
    } catch (error) {
      // A caller who leaves is no failure. Nobody reads this answer.
      if (request.signal.aborted && error === request.signal.reason) {
        this.finish(endpoint, CLIENT_CLOSED, call);
        return new Response(null, { status: CLIENT_CLOSED });
      }
      const known = checkRefusal(endpoint, error instanceof ApiError ? error : internalError(error));
      if (known.code === 'INTERNAL_ERROR') {
        log.error({ err: error, request_id: this.requestId, endpoint: endpoint.operation_id }, 'a request failed');
      }
      await this.auditRefusal(call, known);
      this.finish(endpoint, known.status, call);
      return this.errorResponse(known);
    }
  }

  /** Answers a request that matches no endpoint. */
  refuse(error: ApiError): Response {
    this.rate = this.limits.anonymous.take(this.address, this.at.getTime());
    return this.errorResponse(this.rate.allowed ? error : tooMany(this.rate));
  }

  private async run(call: Call, params: Record<string, string>): Promise<Response> {
    const { endpoint } = call;
    await this.identify(call);
    const decision = decide(call.caller, endpoint.access);
    if (!decision.allowed) {
      const headers: Record<string, string> =
        decision.code === 'UNAUTHENTICATED' ? { 'WWW-Authenticate': 'Bearer' } : {};
      throw new ApiError(decision.code, decision.reason, { headers });
    }
    if (mustChangePassword(call.caller) && endpoint.access !== 'public' && !endpoint.with_initial_password) {
      throw new ApiError('FORBIDDEN', 'Change your initial password first: POST /auth/password.');
    }
    requireSameOrigin(this.request, call.caller);
    this.limitProject(call);
    if (createsInProject(endpoint) && isDatabaseFull()) throw databaseFull();

    const parsedParams = parseParams(params, endpoint.params);
    const url = new URL(this.request.url);
    const upload =
      endpoint.upload && isUpload(this.request, endpoint.upload)
        ? openUpload(this.request, endpoint.upload)
        : undefined;
    const bytes = upload ? new Uint8Array() : await readBody(this.request, endpoint.body_bytes ?? JSON_BODY_BYTES);
    if (endpoint.no_card_numbers) refuseCardNumbers(bytes, url.search);
    const contentType = this.request.headers.get('content-type');
    const form = endpoint.form ? parseForm(bytes, contentType) : [];
    const query = parseQuery(new URLSearchParams([...url.searchParams, ...form]), endpoint.query);
    const body = endpoint.body && !upload ? parseJsonBody(bytes, contentType, endpoint.body) : undefined;

    const key = this.request.headers.get('idempotency-key');
    if (key !== null && call.caller && endpoint.idempotency !== 'none' && !upload) {
      const request = {
        method: endpoint.method,
        path: url.pathname,
        query: url.search,
        content_type: contentType ?? '',
        body: bytes,
      };
      call.record.idempotency = requestKey(key, call.caller, request);
    }
    // Project endpoints read the project from the call itself.
    const membership = call.caller && call.caller.kind !== 'administrator' ? call.caller.membership : null;
    const scoped = membership
      ? Object.assign(call, { project_id: membership.project_id, role: membership.role })
      : call;
    const handle = () =>
      Promise.resolve(
        endpoint.handle(scoped, { params: parsedParams, query, body, headers: this.request.headers, upload }),
      );
    return call.record.idempotency
      ? this.once(call, call.record.idempotency, handle)
      : this.success(call, await handle());
  }

  private async identify(call: Call): Promise<void> {
    const at = this.at.getTime();
    const { endpoint } = call;
    call.caller = await this.authenticate(this.request.headers, endpoint.realm);
    if (call.caller) {
      this.rate = this.limits.callers.take(callerKey(call.caller), at);
    } else {
      this.rate = this.limits.anonymous.take(this.address, at);
      unauthenticatedRequests.inc(endpoint.access === 'public' ? 0 : 1);
    }
    if (!this.rate.allowed) throw tooMany(this.rate);
  }

  /**
   * Limits changes and heavy requests per project, across all callers: more tokens don't allow more requests. Counted
   * after authorization, so that a reader cannot use up the members' share.
   */
  private limitProject({ caller, endpoint }: Call): void {
    const { access } = endpoint;
    const rate = isExport(endpoint, this.request.headers) ? 'heavy' : endpoint.rate;
    if (rate === 'read' || !inProject.has(access)) return;
    if (!caller || caller.kind === 'administrator' || !caller.membership) return;
    const verdict = this.limits.projects[rate].take(caller.membership.project_id, this.at.getTime());
    if (!this.rate || !verdict.allowed || verdict.remaining < this.rate.remaining) this.rate = verdict;
    if (!verdict.allowed) throw tooMany(verdict, tooManyInProject[rate]);
  }

  /** Runs a request with an Idempotency-Key: the first successful answer is returned to all repeats. */
  private async once(
    call: Call,
    key: NonNullable<Call['record']['idempotency']>,
    handle: () => Promise<unknown>,
  ): Promise<Response> {
    const before = await keptAnswer(key);
    if (before) return this.replay(call, before);
    const held = call.endpoint.idempotency === 'kernel';
    if (held && !(await holdKey(key, this.at))) {
      const twin = await keptAnswer(key);
      if (twin) return this.replay(call, twin);
      throw new ApiError(
        'IDEMPOTENCY_IN_PROGRESS',
        'A request with this Idempotency-Key is still in progress. Retry it in a moment.',
      );
    }
    if (held) delete call.record.idempotency;
    try {
      const response = await this.success(call, await handle());
      if (held) {
        call.record.idempotency = key;
        await keepHeld(call, { status: response.status, body: await response.clone().text() });
      } else if (!key.recorded) {
        throw new Error(`${call.endpoint.operation_id} answered without keeping its answer`);
      }
      return response;
    } catch (error) {
      if (held) await freeKey(key);
      else if (error instanceof ApiError || error instanceof RacedByTwin) {
        // A concurrent duplicate may have been admitted meanwhile and taken the last of a quota or the name.
        const twin = await keptAnswer(key);
        if (twin) return this.replay(call, twin);
      }
      throw error;
    }
  }

  private replay(call: Call, kept: { status: number; body: string }): Response {
    call.record.audited = true;
    const headers = this.headers({ 'Idempotent-Replayed': 'true', 'Content-Type': 'application/json; charset=utf-8' });
    return new LightResponse(kept.body === '' ? null : kept.body, { status: kept.status, headers });
  }

  private async success(call: Call, result: unknown): Promise<Response> {
    const { endpoint } = call;
    if (endpoint.audit && !call.record.audited) await this.auditSuccess(call);
    const reply = result instanceof Reply ? result : new Reply(result);
    const status = reply.options.status ?? Number(Object.keys(endpoint.responses)[0]);
    const extra = reply.options.headers ?? {};
    if (reply.body instanceof Response) {
      for (const [name, value] of this.headers(extra)) reply.body.headers.set(name, value);
      return reply.body;
    }
    const headers = this.headers(extra);
    if (reply.body instanceof Page && reply.body.next !== null) headers.set('Link', this.nextLink(reply.body.next));
    const value = reply.body instanceof Page ? reply.body.items : reply.body;
    if (value === undefined) {
      checkResponse(endpoint, status, undefined);
      return new LightResponse(null, { status, headers });
    }
    const text = writeJson(value);
    checkResponse(endpoint, status, text);
    headers.set('Content-Type', 'application/json; charset=utf-8');
    return new LightResponse(text, { status, headers });
  }

  private nextLink(cursor: string): string {
    const url = new URL(this.request.url);
    url.searchParams.set('cursor', cursor);
    const { baseUrl, backofficeUrl } = settings();
    const address = url.pathname.startsWith('/admin/')
      ? `${backofficeUrl}${url.pathname.slice('/admin'.length)}`
      : `${baseUrl}${url.pathname}`;
    return `<${address}${url.search}>; rel="next"`;
  }

  private errorResponse(error: ApiError): Response {
    const headers = this.headers(error.headers);
    headers.set('Content-Type', 'application/json; charset=utf-8');
    return new LightResponse(JSON.stringify(error.body(this.at)), { status: error.status, headers });
  }

  private headers(extra: Record<string, string>): Headers {
    const headers = new Headers(extra);
    headers.set('X-Request-Id', this.requestId);
    if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store');
    headers.set('X-Content-Type-Options', 'nosniff');
    if (this.rate) {
      headers.set('RateLimit-Limit', String(this.rate.limit));
      headers.set('RateLimit-Remaining', String(this.rate.remaining));
      headers.set('RateLimit-Reset', String(this.rate.reset_s));
    }
    return headers;
  }

  private async auditSuccess(call: Call): Promise<void> {
    const { endpoint } = call;
    const status = Number(Object.keys(endpoint.responses)[0]);
    const { resource, details } = call.record;
    await recordAudit(call, {
      action: auditAction(endpoint),
      result: 'succeeded',
      status,
      resource,
      details,
    });
  }

  /**
   * Records every refusal of a known caller: one entry per refused change, counters for reads. Rate-limited callers
   * appear only in the metrics, and nothing is recorded without a database. A page of something that was deleted meanwhile
   * found nothing, and a form that asks for its price is only not complete; nobody was refused (docs/decisions/0033).
   */
  private async auditRefusal(call: Call, error: ApiError): Promise<void> {
    if (call.record.audited || !call.caller || unrecorded.has(error.code)) return;
    const { endpoint, caller } = call;
    const isPage = 'via' in caller && caller.via === 'cookie' && endpoint.reads && !endpoint.audit;
    if (isPage && (endpoint.method === 'POST' || error.code === 'RESOURCE_NOT_FOUND')) return;
    const facts = {
      action: auditAction(endpoint),
      result: error.status >= 500 ? ('failed' as const) : ('refused' as const),
      status: error.status,
      code: error.code,
      resource: call.record.resource,
      details: { message: error.message, ...error.options.details },
    };
    const recorded = endpoint.reads ? countRefusedRead(call, caller, facts) : recordAudit(call, facts);
    await recorded.catch((failure) =>
      log.error({ err: failure, request_id: this.requestId }, 'a refused request could not be audited'),
    );
  }

  private finish(endpoint: AnyEndpoint, status: number, call: Call): void {
    const seconds = (performance.now() - this.startedAt) / 1000;
    requestSeconds.observe({ endpoint: endpoint.operation_id, method: endpoint.method, status }, seconds);
    const level = status >= 500 ? 'error' : 'info';
    log[level](
      {
        request_id: this.requestId,
        endpoint: endpoint.operation_id,
        status,
        ms: Math.round(seconds * 1000),
        caller: call.caller && callerKey(call.caller),
        address: this.address,
      },
      `${endpoint.method} ${fullPath(endpoint)} ${status}`,
    );
  }
}

const tooManyInProject: Record<ProjectRate, string> = {
  write: 'Too many changes in this project',
  heavy: 'Too many exports, documents or uploads in this project',
};

function tooMany(rate: RateVerdict, what = 'Too many requests'): ApiError {
  return new ApiError('RATE_LIMITED', `${what}. Try again in ${rate.reset_s} s.`, {
    headers: { 'Retry-After': String(rate.reset_s) },
  });
}

/**
 * Whether the endpoint creates something in a project. Refused while the database is full, to leave room for deletes.
 */
const createsInProject = ({ responses, access }: AnyEndpoint) => 201 in responses && inProject.has(access);

function databaseFull(cause?: unknown): ApiError {
  return new ApiError(
    'SERVICE_UNAVAILABLE',
    'The database has no disk space left. Reads and deletes still work; creating works again once there is space.',
    { headers: { 'Retry-After': '30' }, cause },
  );
}

const unrecorded: ReadonlySet<ErrorCode> = new Set(['RATE_LIMITED', 'SERVICE_UNAVAILABLE']);

/** The public error for an unforeseen failure; a database that is briefly unreachable has its own. */
function internalError(error: unknown): ApiError {
  if (isDiskFull(error)) {
    noteDiskFull();
    return databaseFull(error);
  }
  if (isDatabaseAway(error)) {
    return new ApiError(
      'SERVICE_UNAVAILABLE',
      'The database is unavailable. Retry in a moment; with the same Idempotency-Key the request takes effect only once.',
      { cause: error },
    );
  }
  return new ApiError('INTERNAL_ERROR', 'Internal error. Report the X-Request-Id to your platform operator.', {
    cause: error,
  });
}
