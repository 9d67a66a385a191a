import { beforeAll, describe, expect, test } from 'vitest';
import { type AnyEndpoint, fullPath } from '@/lib/core/api/endpoint';
import { JSON_BODY_BYTES } from '@/lib/core/api/request';
import { newId } from '@/lib/core/db/id';
import { execute, query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import type { Fixture } from './fixture';
import { api, createProject, createUser, type TestProject, type TestUser } from './world';

/** A platform and the endpoints that a suite tests. */
export type Tested = {
  endpoints: readonly AnyEndpoint[];
  /** All endpoints of the platform. */
  served: readonly AnyEndpoint[];
  tags: Readonly<Record<string, string>>;
  /** Every endpoint with parameters needs one, because it is called as another tenant. */
  fixtures: Readonly<Record<string, Fixture>>;
};

const title = (endpoint: AnyEndpoint) => `${endpoint.method} ${fullPath(endpoint)}`;
const isPublic = ({ access }: AnyEndpoint) => access === 'public';
const takesJson = ({ body, upload }: AnyEndpoint) => body !== undefined && (!upload || upload.or_json === true);

/** The path with its parameters filled in; unknown ids if none are given. */
function path(endpoint: AnyEndpoint, params: Record<string, string> = {}): string {
  const filled = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? newId()));
  return endpoint.realm === 'backoffice' ? `/admin/api/v1${filled}` : filled;
}

function example({ body }: AnyEndpoint): object {
  const given = body?.meta()?.example;
  return typeof given === 'object' && given !== null ? given : {};
}

function request(endpoint: AnyEndpoint): { body?: unknown; headers?: Record<string, string> } {
  if (endpoint.upload && !endpoint.upload.or_json)
    return { body: 'x', headers: { 'Content-Type': endpoint.upload.content_types[0] ?? '' } };
  return endpoint.body ? { body: example(endpoint) } : {};
}

const errorRecord = (code: string, status: number) => ({
  error: { code, status, message: expect.stringMatching(/\S/), timestamp: expect.stringMatching(/^\d{4}-.*Z$/) },
});

/** The same request for another resource. */
const renamed = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'name' in body
    ? { ...body, name: `${body.name}-2`, ...('host' in body ? { host: `second.${body.host}` } : {}) }
    : body;

/** Tests that every endpoint follows the conventions of the API. */
export function everyEndpoint({ endpoints, served, tags, fixtures }: Tested): void {
  const call = api(served);
  let acme: TestProject;
  let administrator: TestUser;
  let outsider: TestUser;

  beforeAll(async () => {
    acme = await createProject('acme');
    administrator = await createUser('root@example.test', 'backoffice');
    outsider = await createUser('outsider@example.test');
  });

  const all = endpoints.map((endpoint) => [title(endpoint), endpoint] as const);
  const some = (choose: (endpoint: AnyEndpoint) => boolean) => all.filter(([, endpoint]) => choose(endpoint));

  /** A token that may call the endpoint. */
  function allowed({ access, realm }: AnyEndpoint): string {
    if (realm === 'backoffice') return administrator.token;
    if (access === 'reader' || access === 'member') return acme.users[access].token;
    return acme.users.admin.token;
  }

  describe('the endpoint table', () => {
    test('names each endpoint once', () => {
      const names = endpoints.map(({ operation_id }) => operation_id);
      expect(names).toEqual([...new Set(names)]);
      expect(all.map(([name]) => name)).toEqual([...new Set(all.map(([name]) => name))]);
    });

    test.each(all)('%s belongs to a group described in the reference', (_, { tag }) => {
      expect(Object.keys(tags)).toContain(tag);
    });

    test.each(some(({ reads }) => !reads))('%s has an audit action', (_, endpoint) => {
      expect(endpoint.audit ?? `no audit action for ${endpoint.operation_id}`).toMatch(/^[a-z_]+\.[a-z_]+$/);
    });

    test.each(some(takesJson))('%s accepts its own example body', (_, endpoint) => {
      expect(endpoint.body?.safeParse(example(endpoint)).error).toBeUndefined();
    });

    test.each(some(({ params }) => params !== undefined))(
      '%s has parameters with the names in its path',
      (_, endpoint) => {
        const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
        expect(Object.keys(endpoint.params?.shape ?? {})).toEqual(names);
      },
    );
  });

  describe('without a credential', () => {
    test.each(some((endpoint) => !isPublic(endpoint)))('%s answers 401', async (_, endpoint) => {
      const { status, body, headers } = await call(endpoint.method, path(endpoint), request(endpoint));
      expect([status, body]).toEqual([401, errorRecord('UNAUTHENTICATED', 401)]);
      expect(headers.get('www-authenticate')).toBe('Bearer');
    });
  });

  describe('with a credential of the other realm', () => {
    test.each(some((endpoint) => !isPublic(endpoint)))('%s answers 401', async (_, endpoint) => {
      const token = endpoint.realm === 'tenant' ? administrator.token : acme.users.admin.token;
      const { status, body } = await call(endpoint.method, path(endpoint), { ...request(endpoint), token });
      expect([status, body]).toEqual([401, errorRecord('UNAUTHENTICATED', 401)]);
    });
  });

  describe('with too low a role', () => {
    const small = { reader: [], member: ['reader'], admin: ['reader', 'member'] } as const;
    const cases = endpoints.flatMap((endpoint) => {
      const { access } = endpoint;
      const weaker = access === 'member' || access === 'admin' ? small[access] : [];
      return weaker.map((role) => [title(endpoint), role, endpoint] as const);
    });
    test.each(cases)('%s refuses a %s with 403', async (_, role, endpoint) => {
      const token = acme.users[role].token;
      const { status, body } = await call(endpoint.method, path(endpoint), { ...request(endpoint), token });
      expect([status, body]).toEqual([403, errorRecord('FORBIDDEN', 403)]);
    });

    const inProject = some(({ access }) => access === 'reader' || access === 'member' || access === 'admin');
    test.each(inProject)('%s refuses a person without a project with 403', async (_, endpoint) => {
      const { status } = await call(endpoint.method, path(endpoint), { ...request(endpoint), token: outsider.token });
      expect(status).toBe(403);
    });
  });

  describe('with an invalid request', () => {
    test.each(some(takesJson))('%s refuses an unknown field by its name', async (_, endpoint) => {
      const body = { ...example(endpoint), colour_of_the_sky: 'blue' };
      const answer = await call(endpoint.method, path(endpoint), { token: allowed(endpoint), body });
      expect([answer.status, answer.body]).toEqual([400, errorRecord('INVALID_REQUEST', 400)]);
      expect(answer.text).toContain('colour_of_the_sky');
    });

    test.each(some(takesJson))('%s refuses broken JSON', async (_, endpoint) => {
      const answer = await call(endpoint.method, path(endpoint), { token: allowed(endpoint), body: '{"name": ' });
      expect([answer.status, answer.body]).toEqual([400, errorRecord('INVALID_REQUEST', 400)]);
    });

    test.each(some(takesJson))('%s refuses another content type', async (_, endpoint) => {
      const headers = { 'Content-Type': 'text/plain' };
      const answer = await call(endpoint.method, path(endpoint), { token: allowed(endpoint), body: '{}', headers });
      expect([answer.status, answer.body]).toEqual([415, errorRecord('UNSUPPORTED_MEDIA_TYPE', 415)]);
    });

    test.each(some(takesJson))('%s refuses a body over 1 MiB', async (_, endpoint) => {
      const body = `{"name":"${'x'.repeat(endpoint.body_bytes ?? JSON_BODY_BYTES)}"}`;
      const answer = await call(endpoint.method, path(endpoint), { token: allowed(endpoint), body });
      expect([answer.status, answer.body]).toEqual([413, errorRecord('PAYLOAD_TOO_LARGE', 413)]);
    });

    test.each(all)('%s refuses an unknown query parameter', async (_, endpoint) => {
      const address = `${path(endpoint)}?colour_of_the_sky=blue`;
      const answer = await call(endpoint.method, address, { ...request(endpoint), token: allowed(endpoint) });
      expect([answer.status, answer.body]).toEqual([400, errorRecord('INVALID_REQUEST', 400)]);
    });
  });

  describe('for an unknown or foreign resource', () => {
    const addressed = some(({ params }) => params !== undefined);

    test.each(addressed)('%s answers 404 for an unknown id', async (_, endpoint) => {
      const answer = await call(endpoint.method, path(endpoint), { ...request(endpoint), token: allowed(endpoint) });
      expect([answer.status, answer.body]).toEqual([404, errorRecord('RESOURCE_NOT_FOUND', 404)]);
    });

    test.each(addressed)('%s answers 404 for a malformed id', async (_, endpoint) => {
      const params = Object.fromEntries(Object.keys(endpoint.params?.shape ?? {}).map((name) => [name, "'; --"]));
      const answer = await call(endpoint.method, path(endpoint, params), {
        ...request(endpoint),
        token: allowed(endpoint),
      });
      expect([answer.status, answer.body]).toEqual([404, errorRecord('RESOURCE_NOT_FOUND', 404)]);
    });

    test.each(addressed.filter(([, { realm }]) => realm === 'tenant'))(
      '%s answers 404 for another tenant’s resource',
      async (_, endpoint) => {
        const [, make] = Object.entries(fixtures).find(([prefix]) => endpoint.path.startsWith(prefix)) ?? [];
        if (!make) throw new Error(`${endpoint.path} has no fixture: see docs/adding-a-domain.md`);
        const params = await make(await createProject('owner'), call);
        const answer = await call(endpoint.method, path(endpoint, params), {
          ...request(endpoint),
          token: allowed(endpoint),
        });
        expect([answer.status, answer.body]).toEqual([404, errorRecord('RESOURCE_NOT_FOUND', 404)]);
      },
    );
  });

  describe('a create', () => {
    test.each(Object.entries(fixtures))(
      'of %s counts once per key, is in the audit log, and ends at the quota',
      async (_, make) => {
        const project = await createProject('creator');
        const recorded = async (action: string) => {
          const [row] = await query<{ count: number }>(sql`SELECT count(*)::int AS count FROM audit_entries
          WHERE project_id = ${project.id}::uuid AND action = ${action}::text AND result = 'succeeded'`);
          return row?.count ?? 0;
        };
        let keys = 0;
        await make(project, async (method, path, options) => {
          const endpoint = served.find((one) => one.method === method && one.path === path);
          const key = () => ({ 'Idempotency-Key': `key-${keys++}` });
          const before = await recorded(endpoint?.audit ?? '');
          const request = { ...options, headers: key() };
          const answer = await call(method, path, request);
          const again = await call(method, path, request);
          expect([again.status, again.text]).toEqual([answer.status, answer.text]);
          if (!endpoint?.audit) return answer;
          expect(await recorded(endpoint.audit)).toBe(before + 1);
          for (const dimension of endpoint.claims) {
            const limit = raw(`${dimension}_limit`);
            const owner = sql`WHERE project_id = ${project.id}::uuid`;
            const [former] = await query<{ limit: string }>(
              sql`SELECT ${limit}::text AS limit FROM project_accounts ${owner}`,
            );
            await execute(sql`UPDATE project_accounts SET ${limit} = 0 ${owner}`);
            const refused = await call(method, path, { ...options, body: renamed(options.body), headers: key() });
            expect([refused.status, refused.body]).toEqual([
              403,
              { detail: expect.stringContaining(`Quota exceeded for ${dimension}: limit 0`) },
            ]);
            await execute(sql`UPDATE project_accounts SET ${limit} = ${former?.limit ?? ''}::numeric ${owner}`);
          }
          return answer;
        });
      },
    );
  });

  describe('every answer', () => {
    test.each(all)('%s has a request id and the rate limit', async (_, endpoint) => {
      const headers = { ...request(endpoint).headers, 'X-Request-Id': 'my-own-id-1' };
      const answer = await call(endpoint.method, path(endpoint), { ...request(endpoint), headers });
      expect(answer.headers.get('x-request-id')).toBe('my-own-id-1');
      expect(Number(answer.headers.get('ratelimit-limit'))).toBeGreaterThan(0);
      expect(answer.headers.get('ratelimit-remaining')).toMatch(/^\d+$/);
      expect(answer.headers.get('ratelimit-reset')).toMatch(/^\d+$/);
    });
  });
}
