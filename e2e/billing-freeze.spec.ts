import { setBudget, spendCents, untilFrozen } from './money-support';
import { addPerson, bearer, expect, expectAccessible, open, test } from './support';

test.describe.configure({ timeout: 240_000 });

test('an exhausted budget freezes the open project, and raising it lifts the freeze at once', async ({
  page,
  tenant,
  request,
}) => {
  const project = `/projects/${tenant.slug}`;
  const banner = page.getByRole('status', { name: 'Budget freeze' });
  const create = page.getByRole('main').getByRole('button', { name: 'Create volume' });
  await open(page, `${project}/storage/volumes`, tenant.admin);
  await expect(page.getByRole('link', { name: 'Create volume' }).first()).toBeVisible();
  const data = { name: 'archive', size_gb: 1 };
  const created = await request.post('/api/v1/storage/volumes', { headers: bearer(tenant.token), data });
  expect(created.status()).toBe(201);
  await expect(page.getByRole('row', { name: /archive/ })).toContainText('Available', { timeout: 60_000 });
  await setBudget(request, tenant, { monthly_limit_usd: 0.01, enable_quota_freeze: true });
  await spendCents(tenant, 3);

  await test.step('the page updates on its own, with the reason', async () => {
    await expect(banner).toContainText('This project is frozen', { timeout: 90_000 });
    await expect(banner).toContainText(/The budget is used up: \$0\.03 of \$0\.01 spent this month\./);
    await expect(create).toHaveAttribute('aria-disabled', 'true');
    await expect(create).toHaveAccessibleDescription(/The budget is used up.*can raise the budget or add credit/);
    await expectAccessible(page);
  });

  await test.step('growth is disabled with the reason, and the API refuses it', async () => {
    await page.getByRole('button', { name: 'Actions for archive' }).click();
    await expect(page.getByRole('menuitem', { name: /^Resize/ })).toContainText('The budget is used up');
    await expect(page.getByRole('menuitem', { name: /^Create snapshot/ })).not.toContainText('The budget is used up');
    await page.keyboard.press('Escape');
    const refused = await request.post('/api/v1/storage/volumes', {
      headers: bearer(tenant.token),
      data: { name: 'one-more', size_gb: 1 },
    });
    expect(refused.status()).toBe(402);
    expect((await refused.json()).error.code).toBe('BUDGET_FROZEN');
  });

  await test.step('every page has the banner, and forms cannot be submitted', async () => {
    for (const [address, button] of [
      ['compute/instances/new', 'Create instance'],
      ['storage/volumes/new', 'Create volume'],
    ] as const) {
      await page.goto(`${project}/${address}`);
      await expect(banner).toContainText('This project is frozen');
      const submit = page.getByRole('main').getByRole('button', { name: button });
      await expect(submit).toHaveAttribute('aria-disabled', 'true');
      await expect(submit).toHaveAccessibleDescription(/The budget is used up/);
    }
  });

  await test.step('a raised budget lifts it, here and in the API', async () => {
    await expect(banner.getByRole('link', { name: 'Add credit' })).toHaveAttribute('href', `${project}/billing/credit`);
    await expect(banner.getByRole('link', { name: 'Raise budget' })).toHaveAttribute(
      'href',
      `${project}/billing/budget`,
    );
    await setBudget(request, tenant, { monthly_limit_usd: 500, enable_quota_freeze: true });
    await expect(banner).toBeEmpty();
    await page.getByLabel('Name', { exact: true }).fill('one-more');
    await page.getByLabel('Size').fill('1');
    await create.click();
    await expect(page).toHaveTitle('one-more · Nephele');
  });
});

test('a person who cannot lift a freeze learns who can, and credit from the platform lifts it', async ({
  page,
  tenant,
  request,
  administratorToken,
}) => {
  const member = await addPerson(request, tenant, 'member');
  await setBudget(request, tenant, { monthly_limit_usd: 0.01, enable_quota_freeze: true });
  await spendCents(tenant, 3);
  await untilFrozen(request, tenant);
  await open(page, `/projects/${tenant.slug}`, member);
  const banner = page.getByRole('status', { name: 'Budget freeze' });
  await expect(banner).toContainText('or a project admin raises the budget or adds credit');
  await expect(banner.getByRole('link')).toHaveCount(0);
  const granted = await request.post(`/admin/api/v1/tenants/${tenant.id}/credits`, {
    headers: bearer(administratorToken),
    data: { amount_usd: 50, reason: 'Compensation for the outage on 3 March' },
  });
  expect(granted.status()).toBe(201);
  await expect(banner).toBeEmpty();
});

test('a budget without a freeze, or no budget, stops nothing', async ({ page, tenant, request }) => {
  await setBudget(request, tenant, { monthly_limit_usd: 0.01, enable_quota_freeze: false });
  await spendCents(tenant, 3);
  const used = async () => {
    const answer = await request.get('/api/v1/billing/budget', { headers: bearer(tenant.token) });
    return (await answer.json()).status.used_percent;
  };
  await expect.poll(used, { timeout: 90_000 }).toBeGreaterThan(100);
  await open(page, `/projects/${tenant.slug}/storage/volumes`, tenant.admin);
  await expect(page.getByRole('link', { name: 'Create volume' }).first()).toBeVisible();
  await expect(page.getByRole('status', { name: 'Budget freeze' })).toBeEmpty();
});
