import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { prisma } from '@/lib/core/db/prisma';
import { startWorker } from '@/lib/core/operations/worker';
import { accountMailSteps } from '@/lib/people/identity/account-mail-steps';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { type ReceivedMail, startMailSink } from '@/lib/testing/mail-sink';
import { enrol, stepStart } from '@/lib/testing/sign-in';
import { type Answer, api, createProject, createUser, type TestProject, type TestUser } from '@/lib/testing/world';

const sink = await startMailSink();
// Must be set before anything reads the settings.
process.env.SMTP_URL = sink.url;
process.env.MAIL_FROM = 'Cloud <cloud@nephele.example>';
testDatabase();
const call = api();
let root: TestUser;
let worker: ReturnType<typeof startWorker>;
let tests = 0;

beforeAll(async () => {
  root = await createUser('root@example.test', 'backoffice');
  worker = startWorker({ steps: [accountMailSteps], jobs: [] });
});
beforeEach(async () => {
  tests += 1;
  sink.received.length = 0;
  await setTestClock(0);
});
afterAll(async () => {
  await worker.stop();
  await sink.close();
});

const own = 'a password of one’s own';
const squatted = 'chosen by the squatter';
const from = () => ({ address: `192.0.2.${tests}` });
const add = (project: TestProject, email: string, role = 'admin') =>
  call('POST', '/identity/users', {
    token: project.users.admin.token,
    body: { email, name: 'Alice', password: squatted, role },
  });
const login = (email: string, password: string) =>
  call('POST', '/auth/login', { body: { email, password }, ...from() });
const tokenOf = ({ body }: Answer) => (body as { access_token?: string }).access_token ?? '';
const codeOf = ({ body }: Answer) => (body as { acceptance_code: string }).acceptance_code;
const ask = (email: string) => call('POST', '/auth/password-reset', { body: { email }, ...from() });
const confirm = (token: string, new_password = own) =>
  call('POST', '/auth/password-reset/confirm', { body: { token, new_password }, ...from() });
const works = async (token: string) => (await call('GET', '/auth/me', { token })).status === 200;

/** The text of a mail with its soft line breaks removed. */
const textOf = ({ raw }: ReceivedMail) =>
  raw
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

async function mailTo(email: string, subject: RegExp): Promise<string> {
  const found = () => sink.received.find((mail) => mail.to === email && subject.test(textOf(mail)));
  await vi.waitFor(() => expect(found()).toBeDefined(), { timeout: 20_000, interval: 20 });
  const mail = found();
  return mail ? textOf(mail) : '';
}

async function resetTokenOf(email: string): Promise<string> {
  return /reset-password#([\w-]+)/.exec(await mailTo(email, /Choose a new password/))?.[1] ?? '';
}

const refused = { status: 401, body: { error: { code: 'INVALID_CREDENTIALS' } } };

describe('the owner of a squatted address', () => {
  test('regains the account by a mailed reset, ends the squatter’s access, and joins with the mailed code', async () => {
    const email = 'alice@victim.test';
    const squatter = await createProject('squatter');
    await add(squatter, email);
    const session = tokenOf(await login(email, squatted));
    const made = await call('POST', '/auth/tokens', { token: session, body: { name: 'hidden', role: 'admin' } });
    const apiToken = (made.body as { token: string }).token;
    const victim = await createProject('victim');
    const invited = await add(victim, email);
    expect(await mailTo(email, /You are invited to victim/)).toContain(codeOf(invited));

    expect((await ask(email)).status).toBe(202);
    expect((await confirm(await resetTokenOf(email))).status).toBe(204);
    expect([await works(session), await works(apiToken)]).toEqual([false, false]);
    expect((await login(email, squatted)).status).toBe(401);
    const token = tokenOf(await login(email, own));
    const body = { code: codeOf(invited) };
    expect((await call('POST', `/auth/invitations/${victim.id}/accept`, { token, body, ...from() })).status).toBe(200);
    const user = await call('GET', `/admin/api/v1/users?email=${email}`, { token: root.token });
    expect(user.body).toMatchObject([{ email_verified: true }]);
  });

  test('gets the address without mail when the back office releases it; the squatter keeps only their project', async () => {
    const email = 'bob@victim.test';
    const squatter = await createProject('squatter');
    await add(squatter, email);
    const session = tokenOf(await login(email, squatted));
    const victim = await createProject('victim');
    const code = codeOf(await add(victim, email));
    const { id } = await prisma().user.findUniqueOrThrow({ where: { email } });
    await ask(email);
    const link = await resetTokenOf(email);

    const release = () => call('POST', `/admin/api/v1/users/${id}/release-email`, { token: root.token, body: {} });
    const released = await release();
    const renamed = (released.body as { email: string }).email;
    expect([released.status, renamed]).toEqual([200, expect.stringMatching(/^released-[\w-]+@released\.invalid$/)]);
    expect(released.body).toMatchObject({ memberships: [{ project_id: squatter.id, status: 'active' }] });
    expect((await release()).status).toBe(409);
    expect(await confirm(link), 'a link of before').toMatchObject(refused);
    expect((await login(email, squatted)).status).toBe(401);
    expect((await login(renamed, squatted)).status).toBe(200);
    expect(await works(session)).toBe(true);
    const late = { token: session, body: { code }, ...from() };
    expect((await call('POST', `/auth/invitations/${victim.id}/accept`, late)).status).toBe(404);

    const anew = await call('POST', '/identity/users', {
      token: victim.users.admin.token,
      body: { email, name: 'Bob', password: own, role: 'admin' },
    });
    expect([anew.status, (await login(email, own)).status]).toEqual([201, 200]);
    const [entry] = await prisma().auditEntry.findMany({
      where: { action: 'user.release_email', result: 'succeeded' },
    });
    expect(entry).toMatchObject({
      actor_id: root.id,
      resource_id: id,
      details: { email: { old: email, new: renamed } },
    });
  });

  test('does not become an administrator through the squatter’s account', async () => {
    const email = 'carol@victim.test';
    await add(await createProject('squatter'), email);
    const { id } = await prisma().user.findUniqueOrThrow({ where: { email } });
    const grant = () => call('PUT', `/admin/api/v1/administrators/${id}`, { token: root.token });
    expect((await grant()).body).toMatchObject({
      error: { code: 'CONFLICT', message: expect.stringContaining(email) },
    });
    await ask(email);
    await confirm(await resetTokenOf(email));
    expect((await grant()).status, 'once a mailed link has shown whose it is').toBe(200);
    const release = await call('POST', `/admin/api/v1/users/${id}/release-email`, { token: root.token, body: {} });
    expect(release.body).toMatchObject({ error: { message: expect.stringContaining('is an administrator') } });
    await prisma().user.update({ where: { id }, data: { administrator: false } });
  });
});

describe('a request for a password reset', () => {
  test('gets the same answer for an unknown address, which receives no mail', async () => {
    await add(await createProject('home'), 'known@victim.test');
    const answers = [await ask('known@victim.test'), await ask('unknown@victim.test')];
    const shape = ({ status, headers, text }: Answer) => ({ status, text, names: [...headers.keys()].toSorted() });
    expect(answers.map(shape)[0]).toEqual(answers.map(shape)[1]);
    expect(answers[0]).toMatchObject({ status: 202, text: '' });
    await mailTo('known@victim.test', /Choose a new password/);
    await vi.waitFor(async () => {
      const left = await prisma().operation.count({ where: { kind: 'account.mail', finished_at: null } });
      expect(left).toBe(0);
    }, 15_000);
    expect(sink.received.filter(({ to }) => to === 'unknown@victim.test')).toEqual([]);
    const kept = await prisma().auditEntry.findMany({ where: { action: 'auth.request_password_reset' } });
    expect(kept.map(({ actor_name }) => actor_name)).toEqual(
      expect.arrayContaining(['known@victim.test', 'unknown@victim.test']),
    );
  });

  test('mails a limited number of links per address and hour, whoever asks', async () => {
    await add(await createProject('home'), 'often@victim.test');
    for (let n = 0; n < 8; n += 1) {
      const options = { body: { email: 'often@victim.test' }, address: `198.51.100.${n}` };
      expect((await call('POST', '/auth/password-reset', options)).status).toBe(202);
    }
    const where = { email: 'often@victim.test', kind: 'password_reset' };
    expect(await prisma().accountMail.count({ where })).toBe(5);
  });

  test('is limited by client address', async () => {
    const answers = [];
    for (let n = 0; n < 11; n += 1) answers.push((await ask('limited@victim.test')).status);
    expect(answers).toEqual([...Array.from({ length: 10 }, () => 202), 429]);
  });

  test('for an administrator opens nothing: the mail says where to reset instead', async () => {
    expect((await ask(root.email)).status).toBe(202);
    expect(await mailTo(root.email, /not reset by mail/)).toContain('reset-password root@example.test');
    expect(await prisma().accountLink.count({ where: { user_id: root.id } })).toBe(0);
  });
});

describe('a mailed link', () => {
  async function linked(email: string): Promise<string> {
    await add(await createProject('home'), email, 'member');
    await ask(email);
    return resetTokenOf(email);
  }

  test('works once, and is stored as a hash', async () => {
    const link = await linked('once@victim.test');
    const [row] = await prisma().$queryRaw<{ all: string }[]>`
      SELECT (SELECT string_agg(l::text, '') FROM account_links l) || (SELECT string_agg(a::text, '') FROM audit_entries a)
        || (SELECT string_agg(o::text, '') FROM operations o) AS all`;
    expect(row?.all).not.toContain(link);
    const answers = await Promise.all([confirm(link), confirm(link, 'another password'), confirm(link)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 401, 401]);
    const entries = await prisma().auditEntry.findMany({
      where: { action: 'auth.reset_password', result: 'succeeded' },
    });
    expect(entries.filter(({ resource_name }) => resource_name === 'once@victim.test')).toHaveLength(1);
  });

  test('ends after an hour, and with the use of another', async () => {
    const link = await linked('hour@victim.test');
    await setTestClock(60 * 60 * 1000 + 1000);
    expect(await confirm(link)).toMatchObject(refused);
    await setTestClock(0);
    sink.received.length = 0;
    await ask('hour@victim.test');
    expect((await confirm(await resetTokenOf('hour@victim.test'))).status).toBe(204);
    expect(await confirm(link)).toMatchObject(refused);
  });

  test('does not replace a second factor', async () => {
    const email = 'factor@victim.test';
    const link = await linked(email);
    await setTestClock(stepStart());
    await enrol(call, tokenOf(await login(email, squatted)));
    expect((await confirm(link)).status).toBe(204);
    expect((await login(email, own)).body).toMatchObject({ mfa_required: true });
  });

  test('cannot be guessed', async () => {
    const answers = [];
    for (let n = 0; n < 11; n += 1) answers.push((await confirm(`guess-${n}`)).status);
    expect(answers).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
  });
});

describe('the mail of an invitation', () => {
  test('goes to new and known addresses alike, and only a known one gets a code', async () => {
    await add(await createProject('home'), 'member@victim.test', 'member');
    const inviter = await createProject('inviting');
    const [fresh, known] = [await add(inviter, 'fresh@victim.test'), await add(inviter, 'member@victim.test')];
    expect(await mailTo('fresh@victim.test', /You were added to inviting/)).not.toContain(codeOf(fresh));
    expect(await mailTo('member@victim.test', /You are invited to inviting/)).toContain(codeOf(known));
  });

  test('is sent by the back office too, and leaves no code behind', async () => {
    const email = 'office@victim.test';
    await add(await createProject('home'), email, 'member');
    const admin = { email, name: 'O', password: own };
    const body = { name: 'Victim', slug: `victim-${tests}`, admin };
    const made = await call('POST', '/admin/api/v1/tenants', { token: root.token, body });
    expect(await mailTo(email, /You are invited to Victim/)).toContain(codeOf(made));
    await vi.waitFor(async () => {
      expect(await prisma().accountMail.count({ where: { email, code: { not: null } } })).toBe(0);
    }, 15_000);
    const { id } = made.body as { id: string };
    const added = await call('POST', `/admin/api/v1/tenants/${id}/admins`, { token: root.token, body: admin });
    expect(added.status).toBe(201);
    await vi.waitFor(() => {
      expect(sink.received.map(textOf).filter((text) => text.includes(codeOf(added)))).toHaveLength(1);
    }, 15_000);
  });
});
