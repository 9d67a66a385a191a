import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';

/**
 * The import order of folders: a folder may import those of earlier lines, and of its own line (lint keeps files free
 * of cycles), but none of later lines. `ports` are the files `engine.ts` of all domains, `fragments` their `fragments.ts`:
 * SQL for those who read their tables.
 */
const order = [
  'address clock core/crypto core/db files format frames keyring lock log core/mail metrics former-addresses platform-paths security-headers service-address settings stopping',
  'ports fragments',
  'engines',
  // The base of every endpoint and operation.
  'core/api core/audit core/domains core/incidents money/budget money/credit hosts/engine-reports people/identity money/metering core/devices core/net core/operations core/quota core/resources core/search core/tags money/rating',
  'hosts/certificates',
  'hosts/services',
  'hosts/agent',
  'domains/secrets',
  'people/tokens',
  'people/notifications',
  'people/members',
  'people/projects',
  'people/oidc',
  'people/iam',
  'core/events',
  'domains/network',
  'domains/images',
  'domains/storage',
  'domains/compute',
  'domains/certificates',
  'domains/loadbalancing',
  'domains/observability',
  'domains/layers',
  'domains/functions',
  'domains/gateway',
  'domains/objects',
  'domains/databases',
  'money/alerts',
  'money/payments',
  'money/invoices',
  'money/payment-events',
  'money/billing',
  'inventory',
  'money/pricing',
  'money/reconciliation',
  'paths',
  'backoffice',
  'platform',
  'runtime',
].map((line) => line.split(' '));

/** The parts of `lib` that a browser may load: its own folders, and pure functions. */
const forBrowsers =
  /^lib\/(client|format)\/|^lib\/(address|paths|platform-paths|service-address|money\/metering\/categories|money\/rating\/month|money\/pricing\/(quote|decimal)|domains\/compute\/(transitions|billed)|domains\/storage\/billed|domains\/databases\/engines|domains\/network\/(ipv4|private-range)|domains\/\w+\/(paths|portal|limits)|core\/domains\/portal|core\/audit\/action|people\/identity\/portal-sign-in|core\/events\/(read-events|version))\.ts$/;

type Arrow = { from: string; to: string; kind: 'value' | 'type' };

const root = new URL('..', import.meta.url).pathname;
const sources = ['app', 'components', 'lib'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|^lib\/(testing|core\/db\/generated)\//.test(file)),
);
const arrows = sources.flatMap(arrowsOf);

function arrowsOf(from: string): Arrow[] {
  const text = readFileSync(join(root, from), 'utf8');
  const found = text.matchAll(/^(?:import|export)\s+(type\s)?(?:[^;']*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gms);
  return [...found].flatMap(([, type, imported, loaded]) => {
    const name = imported ?? loaded ?? '';
    const path = name.startsWith('@/') ? name.slice(2) : name.startsWith('.') ? join(dirname(from), name) : undefined;
    const file = path && ['', '.ts', '.tsx'].map((end) => normalize(path) + end).find((one) => sources.includes(one));
    // Styles and generated files.
    return file ? [{ from, to: file, kind: type ? 'type' : 'value' }] : [];
  });
}

const groups = ['core', 'people', 'money', 'hosts', 'domains'];

/** The folder of `lib` that a file belongs to, `money/billing` inside a group; undefined outside `lib`. */
function roomOf(file: string): string | undefined {
  const [top, name = '', inner = ''] = file.split('/');
  if (top !== 'lib') return undefined;
  if (/^lib\/(domains|hosts)\/[^/]+\/engine\.ts$/.test(file)) return 'ports';
  if (/^lib\/domains\/[^/]+\/fragments\.ts$/.test(file)) return 'fragments';
  return groups.includes(name) ? `${name}/${inner}` : name.replace(/\.ts$/, '');
}

const lineOf = (room: string) => order.findIndex((rooms) => rooms.includes(room));

describe('arrows point one way', () => {
  test('every folder of lib has its place', () => {
    const rooms = new Set(sources.map(roomOf).filter((room) => room !== undefined && room !== 'client'));
    expect([...rooms].filter((room) => lineOf(room ?? '') < 0)).toEqual([]);
    expect(arrows.length).toBeGreaterThan(2000);
  });

  test('from a folder of lib to those before it', () => {
    const upwards = arrows.filter(({ from, to }) => {
      const [one, other] = [roomOf(from), roomOf(to)];
      return one && other && one !== 'client' && (other === 'client' || lineOf(one) < lineOf(other));
    });
    expect(upwards).toEqual([]);
  });

  test('from pages to components to lib', () => {
    const upwards = arrows.filter(
      ({ from, to }) => (to.startsWith('app/') || to.startsWith('components/')) && from.startsWith('lib/'),
    );
    expect([
      ...upwards,
      ...arrows.filter(({ from, to }) => from.startsWith('components/') && /^app\//.test(to)),
    ]).toEqual([]);
  });

  test('browser code loads nothing that runs on the server', () => {
    const leaks = arrows.filter(
      ({ from, to, kind }) =>
        kind === 'value' && /^(components|lib\/client)\//.test(from) && to.startsWith('lib/') && !forBrowsers.test(to),
    );
    expect(leaks).toEqual([]);
  });
});

const statements = [
  /\b(?:INSERT INTO|UPDATE|DELETE FROM)\s+(\w+)/g,
  /\b(?:insert|update|upsert)(?:<[^(]*>)?\(\s*'(\w+)'/g,
  /\b(?:changeRow|settledRow|rowInError|waitingFor)\(\s*'(\w+)'/g,
  /\brenameResource\(call, '(\w+)'/g,
];

const schemas = new Map(
  readdirSync(join(root, 'prisma/schema')).map((file) => [
    file.replace(/\.prisma$/, ''),
    [...readFileSync(join(root, 'prisma/schema', file), 'utf8').matchAll(/@@map\("(\w+)"\)/g)].flatMap(
      ([, name]) => name ?? [],
    ),
  ]),
);
const tables = [...schemas.values()].flat();

test('a table is written by one folder; others use statements that this folder exports', () => {
  expect(tables.length).toBeGreaterThan(50);
  const writers = new Map(tables.map((table) => [table, new Set<string>()]));
  for (const file of sources) {
    const room = roomOf(file);
    const text = readFileSync(join(root, file), 'utf8');
    const written = statements.flatMap((statement) => [...text.matchAll(statement)].map(([, table]) => table ?? ''));
    for (const table of written) if (room !== undefined) writers.get(table)?.add(room);
  }
  const several = [...writers].filter(([, rooms]) => rooms.size > 1);
  expect(several.map(([table, rooms]) => `${table}: ${[...rooms].sort().join(' ')}`)).toEqual([]);
});

const toys = readdirSync(join(root, 'lib/testing/toy')).map((file) => `lib/testing/toy/${file}`);

describe('tables of a domain are read by its folder', () => {
  const domains = readdirSync(join(root, 'lib/domains'));
  // Cells are the platform's.
  const owners = new Map(
    domains.flatMap((name) =>
      (schemas.get(name) ?? []).filter((table) => table !== 'cells').map((table) => [table, name]),
    ),
  );
  /** Where SQL of a file reads another domain's table: `table` in `FROM table t`, `JOIN table t`, `FROM table WHERE`. */
  const foreignReads = (file: string, text: string) => {
    const own = /^lib\/domains\/([^/]+)\//.exec(file)?.[1];
    return [...text.matchAll(/\b(?:FROM|JOIN|USING)\s+(\w+)\b/g)].flatMap(([, table = '']) =>
      owners.has(table) && owners.get(table) !== own ? [`${file}: ${table}`] : [],
    );
  };

  test('and by others through fragments that it exports', () => {
    expect(owners.size).toBeGreaterThan(40);
    expect(foreignReads('lib/domains/storage/a.ts', 'SELECT FROM volumes v JOIN instances i')).toEqual([
      'lib/domains/storage/a.ts: instances',
    ]);
    const files = [...sources, ...toys].filter((file) => file.startsWith('lib/') && roomOf(file) !== 'fragments');
    expect(files.flatMap((file) => foreignReads(file, readFileSync(join(root, file), 'utf8')))).toEqual([]);
  });

  test('and a fragment reads no table of another domain', () => {
    const fragments = sources.filter((file) => roomOf(file) === 'fragments');
    expect(fragments.length).toBeGreaterThan(5);
    expect(fragments.flatMap((file) => foreignReads(file, readFileSync(join(root, file), 'utf8')))).toEqual([]);
  });
});

test('work of a cell is told which one: its process is asked only where a request or a worker begins', () => {
  const asking = sources.filter(
    (file) =>
      /^lib\/(core|people|money|hosts|domains)\//.test(file) &&
      /\bownCell\(/.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(asking.toSorted()).toEqual([
    'lib/core/operations/worker.ts',
    'lib/domains/databases/service.ts',
    'lib/domains/images/readiness.ts',
    'lib/domains/images/service.ts',
    'lib/domains/layers/publish.ts',
    'lib/hosts/engine-reports/service.ts',
    'lib/hosts/services/endpoints.ts',
  ]);
});

test('the smallest domain of services stays under 1,200 lines, and no file outside its folder names it', () => {
  const lines = toys.map((file) => readFileSync(join(root, file), 'utf8').split('\n').length - 1);
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThan(1200);
  expect(sources.filter((file) => readFileSync(join(root, file), 'utf8').includes('testing/toy'))).toEqual([]);
});
