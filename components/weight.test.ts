import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = new URL('..', import.meta.url).pathname;

/** What pages import while they load: an `import()` and a type weigh nothing there. */
function importsOfPages(): { file: string; name: string }[] {
  const files = ['app', 'components', 'lib/client', 'lib/format'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  return files
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.') && !file.startsWith('app/playground'))
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const found = text.matchAll(/^import (?!type)[^;]*?from '([^']+)';/gms);
      return [...found].map(([, name = '']) => ({ file, name }));
    });
}

const imports = importsOfPages();

test('forms check with zod/mini: full zod is heavier than a whole page', () => {
  expect(imports.length).toBeGreaterThan(100);
  expect(imports.filter(({ name }) => name === 'zod')).toEqual([]);
});

test.each([
  [
    'radix-ui',
    /components\/kit\/ui\/(dialog|menu|popover|select-popup|tabs)\.tsx|components\/kit\/page\/confirm-dialog\.tsx/,
  ],
  ['sonner', /components\/kit\/ui\/toaster\.tsx/],
  ['recharts', /-chart\.tsx/],
  ['cmdk', /components\/shell\/command-palette\.tsx|components\/kit\/ui\/combobox-popup\.tsx/],
])('%s is loaded when something opens, not with a page', (library, home) => {
  expect(imports.filter(({ file, name }) => name === library && !home.test(file))).toEqual([]);
});

test('what opens is imported when it opens', () => {
  const opened = /(-popup|-dialog|-sheet|-chart|command-palette|ui\/(menu|popover|toaster|dialog))$/;
  const openers = /(-popup|-dialog|-sheet|command-palette)\.tsx$/;
  expect(imports.filter(({ file, name }) => opened.test(name) && !openers.test(file))).toEqual([]);
});
