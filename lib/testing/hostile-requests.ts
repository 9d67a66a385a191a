import fc from 'fast-check';
import { beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type AnyEndpoint, fullPath } from '@/lib/core/api/endpoint';
import { newId } from '@/lib/core/db/id';
import { prisma } from '@/lib/core/db/prisma';
import { log } from '@/lib/log';
import type { Tested } from './every-endpoint';
import { runs } from './samples';
import { api, createProject, createUser, type TestProject } from './world';

const RUNS = Number(process.env.HOSTILE_REQUESTS ?? runs(10, 25));
const seed = Number(process.env.HOSTILE_SEED ?? 20_261_121);
/** Present only in the victim's tenant: no answer to anybody else may contain it. */
const CANARY = 'canary-9f31c77a';

const hostileText = [
  '',
  ' ',
  "'; DROP TABLE project; --",
  '../../etc/passwd',
  '%2e%2e%2f',
  'nul\u0000',
  '\ud800',
  '\u202e\u200b',
  '<script>alert(1)</script>',
  '{{7*7}}',
  `json:{"driver":"file","filename":"/etc/passwd"}`,
  'http://169.254.169.254/',
  'http://[::1]:5432/',
  'x'.repeat(5000),
  '0.0.0.0/0',
  '10.0.0.0/33',
  '1e400',
  '-0',
  '2026-02-30T00:00:00Z',
];
const text = fc.oneof(fc.constantFrom(...hostileText), fc.string(), fc.string({ unit: 'binary' }));
const number = fc.oneof(
  fc.constantFrom(0, -1, 1.5, 1e21, -1e308, 2 ** 31, 2 ** 53, Number.MAX_VALUE, 1e-320),
  fc.integer(),
  fc.double({ noNaN: true }),
);
/** The fields of a body that can be mutated, including nested ones. */
function places(schema: z.ZodType): string[][] {
  const found: string[][] = [];
  const walk = (node: unknown, at: string[]): void => {
    if (typeof node !== 'object' || node === null || at.length > 4) return;
    if ('properties' in node && typeof node.properties === 'object' && node.properties !== null) {
      for (const [name, member] of Object.entries(node.properties)) {
        found.push([...at, name]);
        walk(member, [...at, name]);
      }
    }
    if ('items' in node) walk(node.items, [...at, '0']);
    for (const key of ['anyOf', 'oneOf', 'allOf'] as const) {
      const options = Object.entries(node).find(([name]) => name === key)?.[1];
      if (Array.isArray(options)) for (const option of options) walk(option, at);
    }
  };
  walk(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }), []);
  return found;
}

function changed(base: unknown, [name, ...rest]: string[], into: unknown): unknown {
  if (name === undefined) return into;
  if (Array.isArray(base)) return [changed(base[0], rest, into), ...base.slice(1)];
  const object = typeof base === 'object' && base !== null ? { ...base } : {};
  const before = Object.entries(object).find(([key]) => key === name)?.[1];
  const after = changed(before, rest, into);
  return after === undefined
    ? Object.fromEntries(Object.entries(object).filter(([key]) => key !== name))
    : { ...object, [name]: after };
}

/** The value encoded for an address; a broken surrogate pair cannot be encoded. */
function encoded(part: string): string {
  return encodeURIComponent(Buffer.from(part).toString());
}

const headers = fc.record(
  {
    'Idempotency-Key': fc.constantFrom('k', 'x'.repeat(256), 'a b'),
    'X-Project-Id': fc.constantFrom('nonsense', "';", newId()),
    'If-Match': fc.constantFrom('*', '"1"', 'W/"x"', 'nonsense'),
    'X-Forwarded-For': fc.constantFrom('127.0.0.1', "' OR 1=1"),
  },
  { requiredKeys: [] },
);

/** Excluded: streams never end, and logout ends the caller's own session. */
const apart = new Set(['streamEvents', 'logout']);

function errorsToo(_: string, given: unknown): unknown {
  return given instanceof Error ? { message: given.message, stack: given.stack, cause: given.cause } : given;
}

/**
 * Sends valid, nearly valid and hostile requests to each endpoint as every kind of caller. No answer may be an internal
 * error, violate its schema (the kernel checks this under test), or contain data of another tenant. `HOSTILE_REQUESTS`
 * sets the number per endpoint, `HOSTILE_SEED` the seed.
 */
export function hostileRequests({ endpoints, served, fixtures }: Omit<Tested, 'tags'>): void {
  const call = api(served);
  let attacker: TestProject;
  let victim: TestProject;
  let tokens: Record<string, string | undefined>;
  let own: Record<string, string>[] = [];
  let foreign: Record<string, string>[] = [];

  beforeAll(async () => {
    attacker = await createProject('attacker');
    victim = await createProject(CANARY);
    const administrator = await createUser('operator@example.test', 'backoffice');
    const { reader, member, admin } = attacker.users;
    tokens = {
      nobody: undefined,
      reader: reader.token,
      member: member.token,
      admin: admin.token,
      administrator: administrator.token,
      nonsense: 'neph_nonsense',
    };
    own = await everything(attacker);
    foreign = await everything(victim);
    await call('POST', '/vault/secrets', {
      token: victim.users.member.token,
      body: { name: CANARY, type: 'opaque', payload: CANARY },
    });
  });

  async function everything(project: TestProject): Promise<Record<string, string>[]> {
    const made: Record<string, string>[] = [];
    for (const fixture of new Set(Object.values(fixtures))) made.push(await fixture(project, call));
    return made;
  }

  const id = fc.nat().map((index) => {
    const pool = [...own, ...foreign].flatMap((params) => Object.values(params));
    return pool[index % pool.length] ?? newId();
  });
  const value: fc.Arbitrary<unknown> = fc.oneof(
    text,
    number,
    id,
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.oneof(id, text, number), { maxLength: 5 }),
    fc.jsonValue({ maxDepth: 3 }),
    fc.constant(JSON.parse('{"__proto__": {"admin": true}, "constructor": 1}')),
  );

  function bodies(endpoint: AnyEndpoint): fc.Arbitrary<unknown> {
    if (endpoint.upload && !endpoint.upload.or_json) return fc.oneof(fc.uint8Array({ maxLength: 2000 }), text);
    if (!endpoint.body) return fc.constant(undefined);
    const example = endpoint.body.meta()?.example ?? {};
    const fields = places(endpoint.body);
    const field = fields.length === 0 ? fc.constant<string[]>(['x']) : fc.constantFrom(...fields);
    const change = fc.tuple(field, fc.oneof(value, fc.constant(undefined)));
    return fc.oneof(
      { weight: 1, arbitrary: fc.constant(example) },
      { weight: 6, arbitrary: change.map(([at, into]) => changed(example, at, into)) },
      {
        weight: 2,
        arbitrary: fc.tuple(change, change).map(([one, two]) => changed(changed(example, ...one), ...two)),
      },
      { weight: 1, arbitrary: value },
    );
  }

  function addresses(endpoint: AnyEndpoint): fc.Arbitrary<string> {
    const names = Object.keys(endpoint.params?.shape ?? {});
    const whole = fc.nat().map((index) => {
      const fitting = [...own, ...foreign].filter((params) => names.every((name) => name in params));
      return fitting[index % Math.max(fitting.length, 1)] ?? {};
    });
    const params = fc.oneof(
      { weight: 3, arbitrary: whole },
      { weight: 1, arbitrary: fc.record(Object.fromEntries(names.map((name) => [name, fc.oneof(id, text)]))) },
    );
    const known = Object.keys(endpoint.query?.shape ?? {});
    const query = fc.dictionary(fc.constantFrom('limit', 'cursor', ...known), fc.oneof(text, id, number.map(String)), {
      maxKeys: 2,
    });
    return fc.tuple(params, fc.oneof(fc.constant({}), query)).map(([filled, asked]) => {
      const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => {
        const given = Object.entries(filled).find(([key]) => key === name)?.[1];
        return encoded(given || newId());
      });
      const search = Object.entries(asked).map(([name, given]) => `${name}=${encoded(given)}`);
      const base = endpoint.realm === 'backoffice' ? `/admin/api/v1${path}` : path;
      return search.length === 0 ? base : `${base}?${search.join('&')}`;
    });
  }

  const cases = endpoints
    .filter(({ operation_id }) => !apart.has(operation_id))
    .map((endpoint) => [`${endpoint.method} ${fullPath(endpoint)}`, endpoint] as const);

  test.each(cases)('%s withstands hostile requests', async (_, endpoint) => {
    const failures = vi.spyOn(log, 'error');
    const request = fc.record({
      as: fc.constantFrom('nobody', 'reader', 'member', 'admin', 'admin', 'administrator', 'nonsense'),
      address: addresses(endpoint),
      body: bodies(endpoint),
      headers,
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ as, address, body, headers }) => {
        failures.mockClear();
        const type = endpoint.upload?.or_json ? undefined : endpoint.upload?.content_types[0];
        const answer = await call(endpoint.method, address, {
          token: tokens[as],
          body: endpoint.method === 'GET' ? undefined : body,
          headers: type ? { ...headers, 'Content-Type': type } : headers,
        });
        const logged = failures.mock.calls.map(([first]) => first);
        expect(answer.status, `${answer.text}\n${JSON.stringify(logged, errorsToo)}`).not.toBe(500);
        if (as !== 'administrator')
          expect(answer.text.includes(CANARY) && !JSON.stringify(body ?? '').includes(CANARY)).toBe(false);
      }),
      { numRuns: RUNS, seed, endOnFailure: false },
    );
  });

  test('another tenant’s resources are unchanged', async () => {
    const secrets = await prisma().secret.findMany({ where: { project_id: victim.id } });
    expect(secrets.filter(({ name }) => name === CANARY)).toHaveLength(1);
    const members = await prisma().roleAssignment.count({ where: { project_id: victim.id } });
    expect(members).toBe(3);
  });
}
