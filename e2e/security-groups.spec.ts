import { addPerson, bearer, expect, expectAccessible, open, test } from './support';

test('a group is created, gets rules from presets and by hand, and loses them', async ({ page, tenant }) => {
  await open(page, `/projects/${tenant.slug}/network/security-groups`, tenant.admin);
  await expect(page).toHaveTitle('Security groups · Nephele');
  await expect(page.getByRole('row', { name: /default/ })).toContainText('None');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Create security group' }).click();
  await expect(page).toHaveTitle('Create security group · Nephele');
  await expectAccessible(page);
  await expect(page.getByLabel('Name', { exact: true })).toBeFocused();
  await page.getByLabel('Name', { exact: true }).fill('web');
  await page.getByLabel('Description').fill('HTTP and HTTPS from anywhere');
  await page.getByRole('button', { name: 'Create security group' }).click();

  await expect(page).toHaveTitle('web · Nephele');
  await expect(page.getByText('No rules. All inbound traffic is dropped.')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Outbound rules' })).toHaveText(/Allow all traffic to anywhere/);
  const ingress = page.getByRole('list', { name: 'Inbound rules' });
  const editor = page.getByRole('form', { name: 'Add rule' });
  const add = editor.getByRole('button', { name: 'Add rule' });

  // SSH open to the world is marked as such, before and after.
  await editor.getByRole('button', { name: 'SSH' }).click();
  await expect(editor.getByText('Allow TCP 22 (SSH) from anywhere')).toBeVisible();
  await expect(editor.getByText(/SSH will be open to the internet/)).toBeVisible();
  await expectAccessible(page);
  await add.click();
  await expect(ingress.getByRole('listitem')).toHaveText([/Allow TCP 22 \(SSH\) from anywhere.*Open to the internet/]);
  await expect(ingress.getByRole('listitem')).toBeFocused();
  await expectAccessible(page);

  // A duplicate is refused before it is sent.
  await expect(editor.getByText('This rule already exists.').first()).toBeVisible();
  await expect(add).toBeDisabled();

  await editor.getByRole('button', { name: 'PostgreSQL' }).click();
  await editor.getByRole('combobox', { name: 'Source' }).click();
  await page.getByRole('option', { name: /Network default/ }).click();
  await add.click();
  await expect(ingress.getByRole('listitem')).toHaveText([
    /Allow TCP 22/,
    /Allow TCP 5432 \(PostgreSQL\) from network default \(10\.0\.0\.0\/24\)/,
  ]);

  await editor.getByLabel('Ports').fill('8100-8000');
  await add.click();
  await expect(editor.getByText('Enter a port, or a range such as 8000-8100.').last()).toBeVisible();
  await editor.getByLabel('Ports').fill('8000-8100');
  await editor.getByRole('combobox', { name: 'Source' }).click();
  await page.getByRole('option', { name: /Custom/ }).click();
  await editor.getByLabel('IP range').fill('203.0.113.9/24');
  await add.click();
  await expect(editor.getByText(/Did you mean 203\.0\.113\.0\/24\?/)).toBeVisible();
  await editor.getByLabel('IP range').fill('203.0.113.7');
  await expect(editor.getByText('Allow TCP 8000–8100 from 203.0.113.7')).toBeVisible();
  await add.click();
  await expect(ingress.getByRole('listitem')).toHaveCount(3);

  await ingress.getByRole('button', { name: 'Remove rule: Allow TCP 22 (SSH) from anywhere' }).click();
  await expect(ingress.getByRole('listitem')).toHaveText([/TCP 5432/, /TCP 8000–8100/]);

  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page
    .getByRole('alertdialog', { name: 'Delete security group web?' })
    .getByRole('button', { name: 'Delete security group' })
    .click();
  await expect(page).toHaveTitle('Security groups · Nephele');
  await expect(page.getByRole('row', { name: /web/ })).toHaveCount(0);
});

test('groups open to the internet are marked in the list; the search is in the address', async ({
  page,
  tenant,
  request,
}) => {
  const headers = bearer(tenant.token);
  for (const name of ['open', 'closed']) {
    const group = await request.post('/api/v1/network/security-groups', { headers, data: { name } });
    expect(group.status()).toBe(201);
    if (name === 'closed') continue;
    const rule = await request.post(`/api/v1/network/security-groups/${(await group.json()).id}/rules`, {
      headers,
      data: { direction: 'ingress', protocol: 'tcp', port_range_min: 22, cidr: '0.0.0.0/0' },
    });
    expect(rule.status()).toBe(201);
  }
  await open(page, `/projects/${tenant.slug}/network/security-groups`, tenant.admin);
  await expect(page.getByRole('row', { name: /^Select open\b/ })).toContainText('SSH open to the internet');
  await page.getByRole('searchbox', { name: 'Search security groups' }).fill('clo');
  await expect(page.getByRole('row', { name: /^Select open\b/ })).toHaveCount(0);
  await expect(page).toHaveURL(/search=clo/);
  await page.reload();
  await expect(page.getByRole('row', { name: /^Select closed\b/ })).toContainText('None');
});

test('a reader sees the rules, and why none can be changed', async ({ page, tenant, request }) => {
  const reader = await addPerson(request, tenant, 'reader');
  await open(page, `/projects/${tenant.slug}/network/security-groups`, reader);
  await page.getByRole('link', { name: 'default' }).click();
  await expect(page.getByRole('button', { name: 'Add rule' })).toBeDisabled();
  await expect(page.getByRole('button', { name: /^Remove rule: Allow all traffic/ })).toBeDisabled();
  await expect(page.getByText('Requires the member role').first()).toBeAttached();
});
