import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { pool } from '@/lib/core/db/pool';
import { prisma } from '@/lib/core/db/prisma';
import { credentialHash } from '@/lib/people/identity/authenticate';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { givePassword, PASSWORD } from '@/lib/testing/sign-in';
import { api, createMember, createProject, createUser, type TestProject, type TestUser } from '@/lib/testing/world';

testDatabase();
const call = api();
let acme: TestProject;
beforeAll(async () => {
  acme = await createProject('acme');
});

type Made = { id: string; token: string; prefix: string };
const create = (token: string, body: object, headers = {}) => call('POST', '/auth/tokens', { token, body, headers });
async function make(token: string, body: object = { name: 'ci', role: 'reader' }): Promise<Made> {
  const { status, body: made, text } = await create(token, body);
  if (status !== 201) throw new Error(text);
  return made as Made;
}
const statusWith = async (token: string, method = 'GET', path = '/tenant/quota') =>
  (await call(method, path, { token, ...(method === 'POST' ? { body: {} } : {}) })).status;
const list = async (token: string, path = '/auth/tokens') => (await call('GET', path, { token })).body as Made[];

describe('an API token', () => {
  test('is shown once, works, and is stored only as a hash', async () => {
    const { id, token, prefix } = await make(acme.users.member.token, { name: 'CANARY-name', role: 'member' });
    expect(token).toMatch(/^neph_[\w-]{43}$/);
    expect(token.startsWith(prefix)).toBe(true);
    expect(prefix.length, 'and says too little of itself to guess the rest').toBeLessThan(16);
    expect(await statusWith(token)).toBe(200);
    const listed = await call('GET', '/auth/tokens', { token: acme.users.member.token });
    expect(listed.text).toContain(id);
    expect(listed.text).not.toContain(token);
    const [all] = await prisma().$queryRaw<{ text: string }[]>`
      SELECT (SELECT string_agg(t::text, '') FROM api_tokens t) || (SELECT string_agg(a::text, '') FROM audit_entries a) AS text`;
    expect(all?.text).toContain('CANARY-name');
    expect(all?.text).not.toContain(token.slice('neph_'.length));
    expect(all?.text).not.toContain(Buffer.from(token).toString('hex'));
  });

  test('is created once by a repeated Idempotency-Key, which replays the token from a sealed record', async () => {
    const body = { name: 'twice', role: 'reader' };
    const headers = { 'Idempotency-Key': 'token-1' };
    const [first, second] = [
      await create(acme.users.member.token, body, headers),
      await create(acme.users.member.token, body, headers),
    ];
    expect(second.text).toBe(first.text);
    expect((await list(acme.users.member.token, '/auth/tokens?name=twice')).length).toBe(1);
    const kept = await prisma().idempotencyRecord.findMany();
    expect(kept.map(({ sealed }) => sealed)).toEqual([true]);
    expect(Buffer.concat(kept.map(({ answer }) => Buffer.from(answer ?? []))).toString('latin1')).not.toContain(
      'neph_',
    );
  });

  test('is also accepted as the password of HTTP Basic, where nothing else is', async () => {
    const { email, token: session } = acme.users.member;
    const { token } = await make(session);
    const basic = async (pair: string, path = '/tenant/quota') => {
      const headers = { Authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
      return (await call('GET', path, { headers })).status;
    };
    expect(await basic(`anyone:${token}`)).toBe(200);
    for (const pair of [`${token}:`, `x:${token}x`, `x:${session}`, `${email}:a password`, '', ':'])
      expect([pair, await basic(pair)]).toEqual([pair, 401]);
  });

  test('ends at its expiry, which cannot be in the past', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { token } = await make(acme.users.member.token, { name: 'short', role: 'reader', expires_at });
    expect(await statusWith(token)).toBe(200);
    await setTestClock(3_500_000);
    expect(await statusWith(token)).toBe(200);
    await setTestClock(3_600_001);
    expect(await statusWith(token)).toBe(401);
    expect(await list(acme.users.member.token, '/auth/tokens?status=expired')).toMatchObject([{ name: 'short' }]);
    const late = await create(acme.users.member.token, { name: 'late', role: 'reader', expires_at });
    expect([late.status, late.text]).toMatchObject([400, expect.stringContaining('expires_at')]);
    await setTestClock(0);
  });

  test('is refused from the very next request after its revocation, and leaves the list', async () => {
    const { id, token } = await make(acme.users.reader.token);
    const revoke = () => call('DELETE', `/auth/tokens/${id}`, { token: acme.users.reader.token });
    expect((await revoke()).status).toBe(204);
    expect(await statusWith(token)).toBe(401);
    expect((await revoke()).status).toBe(404);
    expect(await list(acme.users.reader.token)).toEqual([]);
  });

  test('shows its last use', async () => {
    const { id, token } = await make(acme.users.member.token, { name: 'used', role: 'reader' });
    const lastUse = async () => (await prisma().apiToken.findUniqueOrThrow({ where: { id } })).last_used_at;
    expect(await lastUse()).toBeNull();
    await statusWith(token);
    await expect.poll(lastUse).toBeInstanceOf(Date);
  });
});

describe('the access of a token', () => {
  test('cannot exceed its creator’s role at creation', async () => {
    const roles = ['reader', 'member', 'admin'] as const;
    for (const [mine, own] of roles.entries()) {
      for (const [wanted, role] of roles.entries()) {
        const { status } = await create(acme.users[own].token, { name: 'x', role });
        expect([own, role, status]).toEqual([own, role, wanted <= mine ? 201 : 403]);
      }
    }
  });

  test('is the lower of its own role and its creator’s current one', async () => {
    const project = await createProject();
    const maker = await createMember(project.id, 'admin');
    const { token } = await make(maker.token, { name: 'x', role: 'admin' });
    const weak = await make(maker.token, { name: 'y', role: 'reader' });
    expect(await statusWith(token, 'GET', '/identity/tokens')).toBe(200);
    expect(await statusWith(weak.token, 'GET', '/identity/tokens')).toBe(403);
    const as = { token: project.users.admin.token };
    await call('POST', '/identity/role-assignments', { ...as, body: { user_id: maker.id, role: 'reader' } });
    await call('DELETE', `/identity/role-assignments?user_id=${maker.id}&role=admin`, as);
    expect(await statusWith(token, 'GET', '/identity/tokens')).toBe(403);
    expect(await statusWith(token, 'POST', '/vault/secrets')).toBe(403);
    expect(await statusWith(token)).toBe(200);
    await call('DELETE', `/identity/role-assignments?user_id=${maker.id}`, as);
    expect(await statusWith(token), 'the maker has left the project').toBe(401);
  });

  test('ends at its project', async () => {
    const other = await createProject('other');
    const { token } = await make(acme.users.admin.token, { name: 'x', role: 'admin' });
    const answer = await call('GET', '/tenant/quota', { token, headers: { 'X-Project-Id': other.id } });
    expect(answer.status).toBe(404);
  });

  test('does not include creating or revoking tokens, or acting for the person', async () => {
    const { id, token } = await make(acme.users.admin.token, { name: 'x', role: 'admin' });
    expect((await create(token, { name: 'y', role: 'reader' })).status).toBe(403);
    expect(await statusWith(token, 'GET', '/auth/tokens')).toBe(403);
    expect(await statusWith(token, 'DELETE', `/auth/tokens/${id}`)).toBe(403);
    expect(await statusWith(token, 'GET', '/auth/invitations')).toBe(403);
  });
});

describe('the list of tokens', () => {
  test('shows people their own, and admins everyone’s in the project, for revocation too', async () => {
    const project = await createProject();
    const other = await createProject();
    const { reader, member, admin } = project.users;
    const [first, second] = [await make(reader.token), await make(member.token)];
    const foreign = await make(other.users.member.token);
    expect((await list(reader.token)).map(({ id }) => id)).toEqual([first.id]);
    expect(await list(admin.token)).toEqual([]);
    expect(await list(admin.token, '/identity/tokens')).toMatchObject([
      { id: second.id, user_id: member.id, user_email: member.email, last_used_at: null },
      { id: first.id, user_id: reader.id, user_email: reader.email },
    ]);
    expect(await list(admin.token, `/identity/tokens?user_id=${reader.id}`)).toHaveLength(1);
    expect(await list(admin.token, '/identity/tokens?user_id=nobody')).toEqual([]);
    const revoke = async (path: string, token: string) => (await call('DELETE', path, { token })).status;
    expect(await revoke(`/auth/tokens/${second.id}`, reader.token)).toBe(404);
    expect(await revoke(`/auth/tokens/${second.id}`, admin.token)).toBe(404);
    expect(await revoke(`/identity/tokens/${second.id}`, member.token)).toBe(403);
    expect(await revoke(`/identity/tokens/${foreign.id}`, admin.token)).toBe(404);
    expect(await revoke(`/identity/tokens/${second.id}`, admin.token)).toBe(204);
    expect(await statusWith(second.token)).toBe(401);
    expect(await statusWith(foreign.token)).toBe(200);
  });

  test('is empty for a person without a project, who cannot create any', async () => {
    const outsider = await createUser('outsider@example.test');
    expect((await create(outsider.token, { name: 'x', role: 'reader' })).status).toBe(403);
    expect(await statusWith(outsider.token, 'GET', '/auth/tokens')).toBe(403);
  });
});

async function statementsThatWait(): Promise<number> {
  const { rows } = await pool().query(
    `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows[0].n;
}

describe('a change of password', () => {
  const change = (user: TestUser, revoke_tokens?: boolean) =>
    call('POST', '/auth/password', {
      token: user.token,
      body: { current_password: PASSWORD, new_password: 'a new and longer one', revoke_tokens },
    });

  test('keeps API tokens unless the person asks for their revocation, which then covers every project', async () => {
    const maker = await createMember(acme.id, 'member');
    const other = await createProject('other');
    const at = new Date();
    const membership = { project_id: other.id, user_id: maker.id, status: 'active', created_at: at, updated_at: at };
    await prisma().membership.create({ data: membership });
    const elsewhere = await create(maker.token, { name: 'ci', role: 'reader' }, { 'X-Project-Id': other.id });
    const tokens = [(await make(maker.token)).token, (elsewhere.body as Made).token];
    const theirs = (await make(acme.users.member.token)).token;
    const statuses = () => Promise.all([...tokens, theirs].map((token) => statusWith(token)));

    await givePassword(maker);
    expect((await change(maker)).status).toBe(204);
    expect(await statuses()).toEqual([200, 200, 200]);
    await givePassword(maker);
    expect((await change(maker, true)).status).toBe(204);
    expect(await statuses()).toEqual([401, 401, 200]);
    expect(await list(maker.token)).toEqual([]);
    expect(await statusWith((await make(maker.token)).token), 'a token created afterwards works').toBe(200);
    const entries = await prisma().auditEntry.findMany({
      where: { actor_id: maker.id, action: 'auth.change_password' },
    });
    expect(entries.map(({ details }) => details)).toEqual([{ revoke_tokens: false }, { revoke_tokens: true }]);
  });

  test('with revocation also ends a token whose creation commits a moment later', async () => {
    const maker = await createMember(acme.id, 'member');
    await givePassword(maker);
    const { id } = await make(maker.token);
    const late = `neph_${newId()}`;
    const creation = await pool().connect();
    await creation.query('BEGIN');
    await creation.query(
      `INSERT INTO api_tokens (id, project_id, user_id, name, role, prefix, token_hash, session_epoch, created_at, updated_at)
       SELECT $1, project_id, user_id, 'late', role, prefix, $2, session_epoch, created_at, updated_at FROM api_tokens WHERE id = $3`,
      [newId(), credentialHash(late), id],
    );
    const changed = change(maker, true);
    // The change waits for the creator's row, which the creation still refers to.
    await expect.poll(statementsThatWait).toBe(1);
    await creation.query('COMMIT');
    creation.release();
    expect((await changed).status).toBe(204);
    expect(await statusWith(late)).toBe(401);
  });
});
