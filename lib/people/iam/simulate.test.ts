import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Role, roles } from '@/lib/core/api/caller';
import { type AnyEndpoint, fullPath } from '@/lib/core/api/endpoint';
import { newId } from '@/lib/core/db/id';
import { prisma } from '@/lib/core/db/prisma';
import { endpoints } from '@/lib/platform/endpoints';
import { testDatabase } from '@/lib/testing/database';
import { runs } from '@/lib/testing/samples';
import { type Answer, api, createMember, createProject, createUser, type TestProject } from '@/lib/testing/world';

// Thousands of requests by few callers must not hit the rate limit.
process.env.RATE_LIMIT_PER_MINUTE = '1000000000';
process.env.RATE_LIMIT_BURST = '1000000000';
process.env.RATE_LIMIT_ANONYMOUS_PER_MINUTE = '1000000000';
process.env.RATE_LIMIT_PROJECT_WRITES_PER_MINUTE = '1000000000';
process.env.RATE_LIMIT_PROJECT_WRITES_BURST = '1000000000';

testDatabase();
const call = api();
let acme: TestProject;
let suspended: TestProject;
let invited: { id: string; token: string };

/** An identity that can be simulated and can also call the API. */
type Identity = {
  who: string;
  credential: string;
  identity: { user_id: string } | { token_id: string };
  askers: string[];
};
const identities: Identity[] = [];

async function makeToken(person: string, role: Role): Promise<{ id: string; token: string }> {
  const { status, body, text } = await call('POST', '/auth/tokens', { token: person, body: { name: 'x', role } });
  if (status !== 201) throw new Error(text);
  return body as { id: string; token: string };
}

beforeAll(async () => {
  [acme, suspended] = await Promise.all([createProject('acme'), createProject('suspended')]);
  for (const project of [acme, suspended]) {
    const admin = project.users.admin.token;
    for (const role of roles) {
      const { id, token } = project.users[role];
      identities.push({
        who: `${role} of ${project.slug}`,
        credential: token,
        identity: { user_id: id },
        askers: [admin, token],
      });
      const made = await makeToken(admin, role);
      const askers = project === acme ? [admin, made.token] : [admin];
      const who = `token of ${project.slug} with role ${role}`;
      identities.push({ who, credential: made.token, identity: { token_id: made.id }, askers });
    }
  }
  const { admin } = acme.users;
  const byAdmin = (who: string, { id, token }: { id: string; token: string }) =>
    identities.push({ who, credential: token, identity: { token_id: id }, askers: [admin.token] });

  const expired = await makeToken(admin.token, 'admin');
  await prisma().apiToken.update({ where: { id: expired.id }, data: { expires_at: new Date(Date.now() - 1000) } });
  byAdmin('expired token', expired);
  const revoked = await makeToken(admin.token, 'admin');
  await call('DELETE', `/auth/tokens/${revoked.id}`, { token: admin.token });
  byAdmin('revoked token', revoked);
  const demoted = await createMember(acme.id, 'admin');
  byAdmin('token of a demoted maker', await makeToken(demoted.token, 'admin'));
  await prisma().roleAssignment.updateMany({ where: { user_id: demoted.id }, data: { role: 'reader' } });

  invited = await createUser('invited@example.test');
  const invitation = {
    email: 'invited@example.test',
    name: 'Invited',
    password: 'not for this account',
    role: 'admin',
  };
  await call('POST', '/identity/users', { token: admin.token, body: invitation });
  const { id, token } = invited;
  identities.push({ who: 'invited', credential: token, identity: { user_id: id }, askers: [admin.token, token] });
  const nobody = await createUser('nobody@example.test');
  identities.push({
    who: 'of no project',
    credential: nobody.token,
    identity: { user_id: nobody.id },
    askers: [nobody.token],
  });
  await prisma().project.update({ where: { id: suspended.id }, data: { status: 'suspended' } });
});

const simulate = (token: string, identity: object, method: string, path: string): Promise<Answer> =>
  call('POST', '/iam/simulate', { token, body: { identity, method, path } });

const UNKNOWN_PARAMETER = 'colour_of_the_sky=blue';
const streams = ({ responses }: AnyEndpoint) =>
  Object.values(responses).some((declared) => declared !== null && 'stream' in declared);
const filled = (path: string) => path.replace(/\{\w+\}/g, () => newId());

/** Whether the answer is a refusal by identity; any other answer means that access was granted. */
function refusesCaller({ body }: Answer): boolean {
  const code = (body as { error?: { code?: string } } | undefined)?.error?.code ?? '';
  return ['UNAUTHENTICATED', 'FORBIDDEN', 'TENANT_SUSPENDED'].includes(code);
}

/** Sends the real request. Anything but a plain read carries an unknown parameter, so it is refused before it acts. */
function attempt({ credential }: Identity, endpoint: AnyEndpoint, genuine: boolean): Promise<Answer> {
  const mayAct = genuine && endpoint.method === 'GET' && !streams(endpoint);
  const path = filled(endpoint.realm === 'backoffice' ? fullPath(endpoint) : endpoint.path);
  const address = mayAct ? path : `${path}?${UNKNOWN_PARAMETER}`;
  return call(endpoint.method, address, { token: credential, ...(endpoint.body ? { body: {} } : {}) });
}

describe('simulation agrees with real requests', () => {
  test('for random identities and endpoints', async () => {
    const property = fc.asyncProperty(
      fc.nat(),
      fc.nat(),
      fc.constantFrom(...endpoints),
      fc.constantFrom('template', 'filled', 'short'),
      fc.boolean(),
      async (pick, pickAsker, endpoint, form, genuine) => {
        const identity = identities[pick % identities.length];
        const asker = identity?.askers[pickAsker % identity.askers.length];
        if (!identity || !asker) throw new Error('nobody to ask about');
        const whole = form === 'filled' ? filled(fullPath(endpoint)) : fullPath(endpoint);
        const path = form === 'short' && endpoint.realm === 'tenant' ? endpoint.path : whole;
        const said = await simulate(asker, identity.identity, endpoint.method, path);
        expect(said.status, said.text).toBe(200);
        const met = await attempt(identity, endpoint, genuine);
        const { allowed } = said.body as { allowed: boolean };
        expect(allowed, `${identity.who} ${endpoint.operation_id}: ${said.text} ${met.text}`).toBe(!refusesCaller(met));
      },
    );
    await fc.assert(property, { numRuns: runs(200, 500) });
  });

  test('for each kind of identity and each kind of access at least once', async () => {
    const kinds = [
      ...new Map(endpoints.map((endpoint) => [`${endpoint.realm} ${endpoint.access}`, endpoint])).values(),
    ];
    const verdicts = new Set<string>();
    for (const identity of identities) {
      for (const endpoint of kinds) {
        const said = await simulate(identity.askers[0] ?? '', identity.identity, endpoint.method, fullPath(endpoint));
        const { allowed } = said.body as { allowed: boolean };
        verdicts.add(`${endpoint.access} ${allowed}`);
        const met = await attempt(identity, endpoint, false);
        expect(allowed, `${identity.who} ${endpoint.operation_id}: ${said.text} ${met.text}`).toBe(!refusesCaller(met));
      }
    }
    for (const access of ['person', 'any', 'reader', 'member', 'admin']) {
      expect(verdicts, 'both answers were given').toContain(`${access} true`);
      expect(verdicts).toContain(`${access} false`);
    }
  });

  test('inside the endpoints too: none refuses a caller that the decision admits', async () => {
    // Two endpoints check the body: a token above one's role, another's identity. Neither example is a problem for an
    // admin.
    const changing = endpoints.filter(
      ({ realm, access, method }) => realm === 'tenant' && access !== 'public' && method !== 'GET',
    );
    for (const endpoint of changing) {
      const { access } = endpoint;
      const project = await createProject('throwaway');
      const { token } = project.users[access === 'reader' || access === 'member' ? access : 'admin'];
      const example = endpoint.body?.meta()?.example;
      const met = await call(endpoint.method, filled(endpoint.path), {
        token,
        ...(endpoint.body ? { body: example } : {}),
      });
      expect(refusesCaller(met), `${endpoint.operation_id}: ${met.text}`).toBe(false);
    }
  });
});

describe('the result', () => {
  test('names the endpoint, the access it requires and the facts that decided', async () => {
    const { id, token } = acme.users.reader;
    const { body } = await simulate(token, { user_id: id }, 'POST', '/api/v1/vault/secrets');
    expect(body).toEqual({
      allowed: false,
      reason: 'Requires the member role; the caller has the reader role.',
      matched: ['endpoint:createSecret', 'access:member', 'caller:user', 'role:reader', 'project:active'],
    });
  });

  test('says what a token or a user lacks', async () => {
    const reasonOf = async (who: string) => {
      const identity = identities.find((each) => each.who === who)?.identity ?? {};
      const { body } = await simulate(acme.users.admin.token, identity, 'GET', '/tenant/quota');
      return (body as { reason: string }).reason;
    };
    expect(await reasonOf('expired token')).toBe('The token has expired.');
    expect(await reasonOf('revoked token')).toBe('The token was revoked.');
    expect(await reasonOf('invited')).toContain('has not yet accepted');
  });

  test('is a refusal where no endpoint exists', async () => {
    const { id, token } = acme.users.admin;
    for (const [method, path] of [
      ['GET', '/nowhere'],
      ['PATCH', '/vault/secrets'],
      ['GET', '/api/v2/vault/secrets'],
      ['GET', '//evil.example/vault/secrets'],
    ] as const) {
      const { status, body } = await simulate(token, { user_id: id }, method, path);
      expect([status, body]).toMatchObject([200, { allowed: false, matched: [] }]);
    }
  });
});

describe('permission to simulate', () => {
  test('others is for admins only; oneself and one’s own tokens, for everyone', async () => {
    const { reader, member, admin } = acme.users;
    const own = await makeToken(member.token, 'reader');
    const ask = async (token: string, identity: object) =>
      (await simulate(token, identity, 'GET', '/tenant/quota')).status;
    expect(await ask(reader.token, { user_id: reader.id })).toBe(200);
    expect(await ask(reader.token, { user_id: member.id })).toBe(403);
    expect(await ask(reader.token, { token_id: own.id })).toBe(403);
    expect(await ask(member.token, { token_id: own.id })).toBe(200);
    expect(await ask(own.token, { token_id: own.id })).toBe(200);
    expect(await ask(own.token, { user_id: member.id })).toBe(403);
    expect(await ask(admin.token, { user_id: reader.id })).toBe(200);
    expect(await ask(admin.token, { token_id: own.id })).toBe(200);
  });

  test('identities of another project is given to nobody: they are not found, rather than forbidden', async () => {
    const other = await createProject('other');
    const foreign = await makeToken(other.users.member.token, 'reader');
    const { admin, member } = acme.users;
    const unknown = [
      { user_id: other.users.member.id },
      { token_id: foreign.id },
      { user_id: newId() },
      { token_id: newId() },
      { user_id: 'nobody' },
      { token_id: "'; --" },
      { user_id: foreign.id },
    ];
    for (const identity of unknown) {
      const asked = await simulate(admin.token, identity, 'GET', '/tenant/quota');
      expect([asked.status, asked.text]).toMatchObject([404, expect.stringContaining(Object.keys(identity)[0] ?? '')]);
      expect((await simulate(member.token, identity, 'GET', '/tenant/quota')).status).toBe(403);
    }
  });

  test('covers exactly one identity per call', async () => {
    const { id, token } = acme.users.admin;
    for (const identity of [{}, { user_id: id, token_id: newId() }, { user_id: id, role: 'admin' }]) {
      expect((await simulate(token, identity, 'GET', '/tenant/quota')).status).toBe(400);
    }
  });

  test('ends when an admin leaves the project', async () => {
    const leaving = await createMember(acme.id, 'admin');
    await call('DELETE', `/identity/role-assignments?user_id=${leaving.id}`, { token: acme.users.admin.token });
    const asked = await simulate(leaving.token, { user_id: acme.users.reader.id }, 'GET', '/tenant/quota');
    expect(asked.status).toBe(403);
    const about = await simulate(acme.users.admin.token, { user_id: leaving.id }, 'GET', '/tenant/quota');
    expect(about.status).toBe(404);
  });
});
