import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';

/**
 * Which folder may know which: a folder knows those of lines above its own, never one below. Folders of one line may
 * know each other (lint keeps their files free of cycles). `ports` are the files `engine.ts` of all domains.
 */
const order = [
  'clock crypto db format keyring lock log mail metrics paths security-headers settings stopping',
  'ports',
  'engines',
  // What every endpoint and every operation stands on.
  'api audit budget credit engine-reports identity metering net operations quota rating',
  'secrets',
  'tokens',
  'projects',
  'members',
  'iam',
  'events',
  'network',
  'images',
  'storage',
  'compute',
  'alerts',
  'payments',
  'invoices',
  'payment-events',
  'billing',
  'pricing',
  'reconciliation',
  'backoffice',
  'platform',
  'runtime',
].map((line) => line.split(' '));

/** What a browser may load of `lib`: beside its own folders, files that compute and reach for nothing. */
const forBrowsers =
  /^lib\/(client|format)\/|^lib\/(paths|metering\/categories|rating\/month|pricing\/(quote|decimal)|compute\/(transitions|billed)|storage\/billed|network\/(ipv4|private-range)|identity\/portal-sign-in|events\/version)\.ts$/;

type Arrow = { from: string; to: string; kind: 'value' | 'type' };

const root = new URL('..', import.meta.url).pathname;
const sources = ['app', 'components', 'lib'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|^lib\/(testing|db\/generated)\//.test(file)),
);
const arrows = sources.flatMap(arrowsOf);

function arrowsOf(from: string): Arrow[] {
  const text = readFileSync(join(root, from), 'utf8');
  const found = text.matchAll(/^(?:import|export)\s+(type\s)?(?:[^;']*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gms);
  return [...found].flatMap(([, type, imported, loaded]) => {
    const name = imported ?? loaded ?? '';
    const path = name.startsWith('@/') ? name.slice(2) : name.startsWith('.') ? join(dirname(from), name) : undefined;
    const file = path && ['', '.ts', '.tsx'].map((end) => normalize(path) + end).find((one) => sources.includes(one));
    // Styles, and what is generated.
    return file ? [{ from, to: file, kind: type ? 'type' : 'value' }] : [];
  });
}

/** The folder of `lib` that a file is counted to; undefined outside of it. */
function roomOf(file: string): string | undefined {
  const [top, name = ''] = file.split('/');
  if (top !== 'lib') return undefined;
  return /^lib\/[^/]+\/engine\.ts$/.test(file) ? 'ports' : name.replace(/\.ts$/, '');
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

  test('what runs in a browser loads nothing that runs on the server', () => {
    const leaks = arrows.filter(
      ({ from, to, kind }) =>
        kind === 'value' && /^(components|lib\/client)\//.test(from) && to.startsWith('lib/') && !forBrowsers.test(to),
    );
    expect(leaks).toEqual([]);
  });
});
