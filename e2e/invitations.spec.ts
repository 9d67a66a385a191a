import { randomBytes } from 'node:crypto';
import type { APIRequestContext } from '@playwright/test';
import {
  addPerson,
  bearer,
  chooseOwnPassword,
  expect,
  expectAccessible,
  forgetSession,
  INITIAL_PASSWORD,
  open,
  type Person,
  type Tenant,
  test,
} from './support';

/** @returns the acceptance code */
async function invite(
  request: APIRequestContext,
  tenant: Tenant,
  { email, name }: Person,
  role: string,
): Promise<string> {
  const answer = await request.post('/api/v1/identity/users', {
    headers: bearer(tenant.token),
    data: { email, name, role, password: 'not used, never known' },
  });
  expect(answer.status()).toBe(201);
  return (await answer.json()).acceptance_code;
}

/** A second tenant with its own admin. */
async function otherTenant(request: APIRequestContext, administratorToken: string): Promise<Tenant> {
  const mark = randomBytes(4).toString('hex');
  const admin = { email: `hera-${mark}@example.test`, name: 'Hera Other', password: `pass ${mark} phrase` };
  const [slug, name] = [`o${mark}`, `Other ${mark}`];
  const made = await request.post('/admin/api/v1/tenants', {
    headers: bearer(administratorToken),
    data: { name, slug, admin: { ...admin, password: INITIAL_PASSWORD } },
  });
  expect(made.status()).toBe(201);
  const token = await chooseOwnPassword(request, admin);
  return { id: (await made.json()).id, slug, name, admin, token };
}

test('a person with an account is invited, sees it beside their projects, and joins with the inviter’s code', async ({
  page,
  tenant,
  request,
  administratorToken,
  otherBrowser,
}) => {
  const other = await otherTenant(request, administratorToken);
  await open(page, `/projects/${other.slug}/project/users/new`, other.admin);
  await page.getByLabel('E-mail').fill(tenant.admin.email);
  await page.getByLabel('Name', { exact: true }).fill('Ianthe from elsewhere');
  await page.getByRole('button', { name: 'Add user' }).click();
  await expect(page.getByRole('heading', { name: 'Share the acceptance code' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Copy acceptance code' })).toBeVisible();
  await expectAccessible(page);
  const code = await page.getByRole('figure', { name: 'acceptance code' }).innerText();
  await page.getByRole('link', { name: 'Done' }).click();
  await expect(page.getByRole('row', { name: /Ianthe from elsewhere/ })).toContainText(/Member\s*Invited/);

  const theirs = await otherBrowser();
  await open(theirs, `/projects/${tenant.slug}/security/secrets`, tenant.admin);
  await theirs.getByRole('button', { name: /Switch project, 1 invitation/ }).click();
  await expectAccessible(theirs);
  await theirs.getByRole('dialog', { name: 'Projects' }).getByRole('link', { name: '1 invitation' }).click();
  await expect(theirs).toHaveURL(`/projects/${tenant.slug}`);
  const invitation = theirs.getByRole('listitem', { name: other.name });
  await expect(invitation).toContainText(`As member, by ${other.admin.email}`);
  await expectAccessible(theirs);
  await invitation.getByRole('button', { name: 'Join' }).click();
  await expect(invitation.getByText('Enter the acceptance code.')).toBeVisible();
  await invitation.getByLabel('Acceptance code').fill('k7wp-3mzx-90ab-cdef');
  await invitation.getByRole('button', { name: 'Join' }).click();
  await expect(invitation.getByText('This code is incorrect, expired or already used.')).toBeVisible();
  await expect(theirs).toHaveURL(`/projects/${tenant.slug}`);
  await expectAccessible(theirs);
  await invitation.getByLabel('Acceptance code').fill(code);
  await invitation.getByRole('button', { name: 'Join' }).click();
  await expect(theirs).toHaveURL(`/projects/${other.slug}`);
  await expect(theirs.getByRole('button', { name: `${other.name} member Switch project` })).toBeVisible();

  // The other admin's list updates on its own, with the person's name.
  await expect(page.getByRole('row', { name: /Ianthe Kallis/ })).toContainText(/Member\s*Active/);
});

test('a repeated invitation has a new code, and the previous one is worthless', async ({
  page,
  tenant,
  request,
  administratorToken,
  otherBrowser,
}) => {
  const other = await otherTenant(request, administratorToken);
  const first = await invite(request, other, tenant.admin, 'reader');
  await open(page, `/projects/${other.slug}/project/users`, other.admin);
  await page.getByRole('button', { name: `Actions for ${tenant.admin.name}` }).click();
  await page.getByRole('menuitem', { name: 'Invite again' }).click();
  await expect(page.getByLabel('E-mail')).toHaveValue(tenant.admin.email);
  await expect(page.getByRole('radio', { name: /Reader/ })).toBeChecked();
  await page.getByRole('button', { name: 'Add user' }).click();
  const code = await page.getByRole('figure', { name: 'acceptance code' }).innerText();
  expect(code).not.toBe(first);

  const theirs = await otherBrowser();
  await open(theirs, `/projects/${tenant.slug}`, tenant.admin);
  const invitation = theirs.getByRole('listitem', { name: other.name });
  await invitation.getByLabel('Acceptance code').fill(first);
  await invitation.getByLabel('Acceptance code').press('Enter');
  await expect(invitation.getByText('This code is incorrect, expired or already used.')).toBeVisible();
  await invitation.getByLabel('Acceptance code').fill(code.toUpperCase());
  await invitation.getByLabel('Acceptance code').press('Enter');
  await expect(theirs).toHaveURL(`/projects/${other.slug}`);
});

test('an invitation is declined or withdrawn, and is gone', async ({ page, tenant, request, administratorToken }) => {
  const other = await otherTenant(request, administratorToken);
  await invite(request, other, tenant.admin, 'reader');
  await open(page, `/projects/${tenant.slug}`, tenant.admin);
  await page.getByRole('listitem', { name: other.name }).getByRole('button', { name: 'Decline' }).click();
  await expect(page.getByRole('heading', { name: 'Invitations' })).toHaveCount(0);

  await invite(request, other, tenant.admin, 'reader');
  await forgetSession(page);
  await open(page, `/projects/${other.slug}/project/users`, other.admin);
  await page.getByRole('button', { name: `Actions for ${tenant.admin.name}` }).click();
  await page.getByRole('menuitem', { name: 'Withdraw invitation' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw invitation' }).click();
  await expect(page.getByRole('row', { name: new RegExp(tenant.admin.name) })).toHaveCount(0);
});

test('a person without a project finds their invitation, and how to get one', async ({
  page,
  tenant,
  request,
  administratorToken,
}) => {
  const person = await addPerson(request, tenant, 'reader');
  const users = await request.get(`/api/v1/identity/users?email=${person.email}`, { headers: bearer(tenant.token) });
  const [{ id }] = await users.json();
  await request.delete(`/api/v1/identity/role-assignments?user_id=${id}`, { headers: bearer(tenant.token) });
  await open(page, '/', person);
  await expect(page.getByRole('heading', { name: 'You are not a member of any project yet' })).toBeVisible();
  await expectAccessible(page);

  const other = await otherTenant(request, administratorToken);
  const code = await invite(request, other, person, 'reader');
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByRole('heading', { name: 'You are invited' })).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel('Acceptance code').fill(code);
  await page.getByRole('button', { name: 'Join' }).click();
  await expect(page).toHaveURL(`/projects/${other.slug}`);
});
