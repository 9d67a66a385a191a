import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { test as base, bearer, chooseOwnPassword, expect, INITIAL_PASSWORD, type Person } from './support';

interface Fixtures {
  /** A separate administrator per test, so that tests don't interfere. */
  administrator: Person & { id: string };
}

export const test = base.extend<Fixtures>({
  administrator: async ({ request, administratorToken }, use) => {
    const mark = randomBytes(4).toString('hex');
    const person = { email: `grace-${mark}@example.test`, name: `Grace ${mark}`, password: `pass ${mark} phrase` };
    const answer = await request.post('/admin/api/v1/administrators', {
      headers: bearer(administratorToken),
      data: { ...person, password: INITIAL_PASSWORD },
    });
    expect(answer.status()).toBe(201);
    await chooseOwnPassword(request, person, '/admin/api/v1');
    await use({ id: (await answer.json()).id, ...person });
  },
});

/** Completes the first step of signing in to the back office. */
export async function givePassword(page: Page, { email, password }: Pick<Person, 'email' | 'password'>) {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Opens a page of the back office as an administrator without a second factor, like `open` in the portal. */
export async function openOffice(page: Page, address: string, { email, password }: Person): Promise<void> {
  const answer = await page.request.post('/admin/api/v1/auth/session', { data: { email, password } });
  expect(answer.status(), 'signs in').toBe(200);
  await page.goto(address);
}
