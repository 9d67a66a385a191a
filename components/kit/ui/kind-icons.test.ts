import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

type IconData = { node: [tag: string, attributes: Record<string, string>][] };

const components = join(import.meta.dirname, '../..');
const used = readdirSync(components, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'))
  .flatMap((file) => [...readFileSync(join(components, file), 'utf8').matchAll(/\bkindIcon\('([^']+)'\)/g)])
  .map(([, name]) => name ?? '');

async function symbol(name: string): Promise<string> {
  const { __iconData } = (await import(`../../../node_modules/lucide-react/dist/esm/icons/${name}.mjs`)) as {
    __iconData: IconData;
  };
  const shapes = __iconData.node.map(([tag, { key: _, ...attributes }]) => {
    const text = Object.entries(attributes).map(([attribute, value]) => ` ${attribute}="${value}"`);
    return `<${tag}${text.join('')}/>`;
  });
  return `<symbol id="${name}" viewBox="0 0 24 24">${shapes.join('')}</symbol>\n`;
}

// After a change of icons: `npx vitest run components/kit/ui/kind-icons.test.ts -u`
test('the file of icons has exactly those that kinds use, as Lucide draws them', async () => {
  const symbols = await Promise.all([...new Set(used)].toSorted().map(symbol));
  expect(symbols.length).toBeGreaterThan(20);
  await expect(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" aria-hidden="true">\n${symbols.join('')}</svg>\n`,
  ).toMatchFileSnapshot('./kind-icons.svg');
});
