import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
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
  const opened = /(-popup|-dialog|-sheet|-chart|-view|command-palette|ui\/(menu|popover|toaster|dialog))$/;
  const openers = /(-popup|-dialog|-sheet|-view|command-palette)\.tsx$/;
  expect(imports.filter(({ file, name }) => opened.test(name) && !openers.test(file))).toEqual([]);
});

/** The files that a page loads at once: all that it imports, and what these import, up to each `import()`. */
function loadedWithPages(): Set<string> {
  const files = new Set(imports.map(({ file }) => file));
  const resolved = (file: string, name: string) => {
    const path = name.startsWith('@/') ? name.slice(2) : name.startsWith('.') ? join(dirname(file), name) : undefined;
    return path && ['.ts', '.tsx', '/index.ts'].map((end) => normalize(path) + end).find((one) => files.has(one));
  };
  const loaded = new Set([...files].filter((file) => file.startsWith('app/')));
  // A set is walked in the order of its insertions, those made on the way included.
  for (const file of loaded) {
    for (const { name } of imports.filter((one) => one.file === file)) {
      const next = resolved(file, name);
      if (next) loaded.add(next);
    }
  }
  return loaded;
}

test.each([
  '@uiw/react-codemirror',
  '@codemirror/',
  '@lezer/',
  '@xyflow/react',
  '@dagrejs/dagre',
  '@tanstack/react-virtual',
  'anser',
  'cronstrue',
  'react-markdown',
  'remark-gfm',
  'uplot',
  'yaml',
])('%s is loaded with the component that needs it, never with a page', (library) => {
  const loaded = loadedWithPages();
  expect(loaded.size).toBeGreaterThan(100);
  const early = imports.filter(
    ({ file, name }) => loaded.has(file) && (library.endsWith('/') ? name.startsWith(library) : name === library),
  );
  expect(early).toEqual([]);
});
