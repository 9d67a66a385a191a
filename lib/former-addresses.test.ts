import { getRedirectUrl, unstable_getResponseFromNextConfig } from 'next/experimental/testing/server';
import { expect, test } from 'vitest';
import nextConfig from '../next.config';
import { formerAddresses } from './former-addresses';

const at = 'https://cloud.test';
const answer = (path: string) => unstable_getResponseFromNextConfig({ url: at + path, nextConfig });

test.each(formerAddresses)('links to %s redirect to the page now at %s, with their query', async (former, current) => {
  for (const rest of ['', '/new', '/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f']) {
    const moved = await answer(`/projects/demo/${former}${rest}?tab=log&sort=name`);
    expect(moved.status).toBe(308);
    expect(getRedirectUrl(moved)).toBe(`${at}/projects/demo/${current}${rest}?tab=log&sort=name`);
  }
});

test('no current address redirects', async () => {
  const addresses = [...formerAddresses.map(([, current]) => current), 'billing', 'billing/budget', 'account'];
  for (const address of addresses) expect(getRedirectUrl(await answer(`/projects/demo/${address}`))).toBeNull();
});
