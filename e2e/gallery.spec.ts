import { pieces } from '../app/dev/components/pieces';
import { galleryPath } from '../lib/paths';
import { expect, expectAccessible, test } from './support';

for (const piece of [undefined, ...pieces.map(({ name }) => name)]) {
  test(`the gallery's page ${piece ?? 'of all components'} is accessible, fits a phone and needs no mouse`, async ({
    page,
  }) => {
    const problems: string[] = [];
    page.on('pageerror', ({ message }) => problems.push(message));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) problems.push(message.text());
    });
    const response = await page.goto(galleryPath(piece));
    expect(response?.status()).toBe(200);
    await expectAccessible(page);

    await page.setViewportSize({ width: 390, height: 844 });
    const over = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    await expect.poll(over, { timeout: 5000 }).toBeLessThanOrEqual(0);
    await expectAccessible(page);

    // Each Tab press in the page's content reaches another element: there is no keyboard trap.
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.locator('#page-title').focus();
    const controls = page.locator('#page').locator('a[href], button:enabled, input:enabled, [contenteditable=true]');
    const stops = new Set<string>();
    for (let press = 0; press < Math.min(12, await controls.count()); press += 1) {
      // Editors use Tab for text; Esc releases it.
      await page.keyboard.press('Escape');
      await page.keyboard.press('Tab');
      stops.add(await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 300) ?? ''));
    }
    expect(stops.size).toBeGreaterThan(0);
    expect(problems).toEqual([]);
  });
}
