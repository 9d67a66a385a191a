import { describe, expect, test } from 'vitest';
import type { PaletteCommand } from './commands';
import { bestMatch, groupsFor, readAsked } from './palette-lines';

const commands: PaletteCommand[] = [
  { group: 'Actions', label: 'Create volume' },
  { group: 'Go to', label: 'Instances', keywords: ['vm', 'server'] },
  { group: 'Go to', label: 'Volumes' },
];
const found: PaletteCommand[] = [{ group: 'Resources', label: 'web-1', id: 'a' }];
const shown = (text: string, results: PaletteCommand[] = []) =>
  groupsFor(text, commands, results).map(({ heading, lines }) => [heading, ...lines.map(({ label }) => label)]);

describe('the palette lists', () => {
  test('everything while nothing is typed', () => {
    expect(shown('')).toEqual([
      ['Actions', 'Create volume'],
      ['Go to', 'Instances', 'Volumes'],
    ]);
  });

  test('the group with the best line first', () => {
    expect(shown('vol')).toEqual([
      ['Go to', 'Volumes'],
      ['Actions', 'Create volume'],
    ]);
    expect(shown('VM')).toEqual([['Go to', 'Instances']]);
    expect(shown('nothing like it')).toEqual([]);
  });

  test('all results of the server, whatever their names', () => {
    expect(shown('10.0.0.7', found)).toEqual([['Resources', 'web-1']]);
    expect(shown('web', found)).toEqual([['Resources', 'web-1']]);
  });
});

test.each([
  ['web-1', 'web-1', ''],
  ['web-1: reboot', 'web-1', 'reboot'],
  ['web-1:', 'web-1', ''],
  ['web-1 reb', 'web-1', 'reb'],
  ['Reboot web-1', 'web-1', 'reboot'],
  ['my disk', 'my disk', ''],
  ['delete', 'delete', ''],
  ['52:54:00:aa', '52:54:00:aa', ''],
])('“%s” asks for “%s” with the verb “%s”', (text, name, verb) => {
  expect(readAsked(text)).toEqual({ name, verb });
});

test('verbs are those of the resource with exactly this name, else of the first', () => {
  const result = (name: string) =>
    ({ type: 'instance', id: name, name, status: null, matched: 'name', address: null }) as const;
  const results = [result('web-10'), result('web-1')];
  expect(bestMatch(results, 'WEB-1')?.name).toBe('web-1');
  expect(bestMatch(results, 'web')?.name).toBe('web-10');
  expect(bestMatch([], 'web')).toBeUndefined();
});
