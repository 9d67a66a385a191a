import type { APIRequestContext, Page } from '@playwright/test';
import { test as officeTest, openOffice } from './backoffice-support';
import { inDatabase } from './money-support';
import { bearer, expect, expectAccessible, open, type Tenant, test } from './support';

/** Creates a tenant that invites the admin of `tenant`. @returns its name */
async function invitedBy(request: APIRequestContext, tenant: Tenant, administratorToken: string, mark: string) {
  const { email, name } = tenant.admin;
  const admin = {
    email: `hera-${mark}-${tenant.slug}@example.test`,
    name: 'Hera Other',
    password: 'a long passphrase',
  };
  const made = await request.post('/admin/api/v1/tenants', {
    headers: bearer(administratorToken),
    data: { name: `Tenant ${mark}`, slug: `${mark}-${tenant.slug}`, admin },
  });
  expect(made.status()).toBe(201);
  const login = await request.post('/api/v1/auth/login', { data: { email: admin.email, password: admin.password } });
  const invitation = await request.post('/api/v1/identity/users', {
    headers: bearer((await login.json()).access_token),
    data: { email, name, role: 'reader', password: 'not used, never known' },
  });
  expect(invitation.status()).toBe(201);
}

/** The bell says how many are unread. */
const bell = (page: Page, unread: number) =>
  page.getByRole('button', { name: unread === 0 ? 'Notifications' : `Notifications, ${unread} unread`, exact: true });

/** Mutes a kind on the page of preferences, which keeps it. */
async function mute(page: Page, kind: string) {
  const box = page.getByRole('checkbox', { name: new RegExp(`^${kind}`) });
  await expect(box).toBeChecked();
  await box.uncheck();
  await page.getByRole('button', { name: 'Save preferences' }).click();
  await expect(page.getByText('Notification preferences saved')).toBeVisible();
  await page.reload();
  await expect(box).not.toBeChecked();
}

test('an open page counts a new notification, which leads to its resource and is then read', async ({
  page,
  tenant,
  request,
  administratorToken,
}) => {
  await open(page, `/projects/${tenant.slug}/security/secrets`, tenant.admin);
  await expect(bell(page, 0)).toBeVisible();
  await invitedBy(request, tenant, administratorToken, 'first');
  await expect(bell(page, 1)).toBeVisible();
  await invitedBy(request, tenant, administratorToken, 'second');

  await bell(page, 2).press('Enter');
  const popover = page.getByRole('dialog', { name: 'Notifications' });
  await expect(popover.getByRole('listitem')).toHaveText([/Invitation to Tenant second/, /Invitation to Tenant first/]);
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect
    .poll(async () => {
      const box = await popover.boundingBox();
      return box && box.x >= 0 && box.x + box.width <= 390;
    })
    .toBe(true);
  await page.setViewportSize({ width: 1280, height: 900 });
  await popover.getByRole('link', { name: /Invitation to Tenant first/ }).click();
  await expect(page).toHaveURL(`/projects/${tenant.slug}`);
  await expect(bell(page, 1)).toBeVisible();

  await bell(page, 1).click();
  await popover.getByRole('link', { name: 'View all notifications' }).click();
  await expect(page).toHaveTitle('Notifications · Nephele');
  await expect(page.getByRole('row', { name: /Tenant/ })).toHaveCount(2);
  await page.getByRole('button', { name: 'Status', exact: true }).click();
  await page.getByRole('menuitemradio', { name: 'Unread' }).click();
  await expect(page.getByRole('row', { name: /Tenant/ })).toHaveText([/Unread: Invitation to Tenant second/]);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await expect(page.getByText('No notifications match')).toBeVisible();
  await expect(bell(page, 0)).toBeVisible();
  await page.getByRole('link', { name: 'Preferences' }).click();
  await mute(page, 'Invitation');
});

test('a failed operation leads to the resource, in whichever project it is', async ({ page, tenant, request }) => {
  const headers = bearer(tenant.token);
  const [group] = await (await request.get('/api/v1/network/security-groups', { headers })).json();
  await inDatabase(
    `WITH made AS (SELECT gen_random_uuid() AS id)
     INSERT INTO operations (id, project_id, kind, resource_type, resource_id, stage, status, input, scope, run_at, deadline_at, created_at, updated_at)
     SELECT id, $1, 'security_group.apply', 'security_group', $2, 'apply', 'running', '{}', 'platform', platform_now() + interval '1 day',
       platform_now() + interval '2 days', platform_now(), platform_now() FROM made`,
    [tenant.id, group.id],
  );
  await inDatabase(
    `UPDATE operations SET status = 'failed', error = 'The rules cannot be written.', finished_at = platform_now()
     WHERE project_id = $1 AND kind = 'security_group.apply'`,
    [tenant.id],
  );
  await open(page, `/projects/${tenant.slug}/notifications?kind=operation_failed`, tenant.admin);
  const row = page.getByRole('row', { name: /Could not apply security group/ });
  await expect(row).toContainText('The rules cannot be written.');
  await expect(row).toContainText(tenant.name);
  await row.getByRole('link').click();
  await expect(page.getByRole('heading', { name: group.name, level: 1 })).toBeVisible();
  await expect(bell(page, 0)).toBeVisible();
});

officeTest('an administrator is notified of an incident', async ({ page, administrator, tenant }) => {
  await openOffice(page, '/admin/notifications', administrator);
  await expect(page.getByText('No notifications yet')).toBeVisible();
  // Not through an incident, which other tests would find on the platform.
  await inDatabase(
    `SELECT notify_people(ARRAY[$1::uuid], NULL, 'incident', 'incident:' || $1, 'instance', $2, NULL,
       '{"reason": "The guest did not answer.", "tenant_id": null}')`,
    [administrator.id, tenant.id],
  );
  await expect(page.getByRole('row', { name: /Unread: Incident: instance/ })).toContainText(
    'The guest did not answer.',
  );
  await expect(bell(page, 1)).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: /^Actions for Incident/ }).click();
  await page.getByRole('menuitem', { name: 'Mark as read' }).click();
  await expect(bell(page, 0)).toBeVisible();
  // Several at once, without a question.
  for (const one of ['a', 'b'])
    await inDatabase(
      `SELECT notify_people(ARRAY[$1::uuid], NULL, 'incident', 'incident:' || $2, 'instance', $3, NULL, '{"reason": "Once more.", "tenant_id": null}')`,
      [administrator.id, one, tenant.id],
    );
  await expect(bell(page, 2)).toBeVisible();
  for (const box of await page
    .getByRole('row', { name: /Unread: Incident/ })
    .getByRole('checkbox')
    .all())
    await box.click();
  await page
    .getByRole('region', { name: /^Actions for selected/ })
    .getByRole('button', { name: 'Mark as read' })
    .click();
  await expect(bell(page, 0)).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await bell(page, 0).click();
  await page.getByRole('link', { name: 'Notification preferences' }).click();
  await mute(page, 'Incident');
});
