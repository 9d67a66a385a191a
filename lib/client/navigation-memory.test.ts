import { expect, test } from 'vitest';
import { parse } from './navigation-memory';

const visit = { project: 'demo', href: '/projects/demo/storage/volumes/1', label: 'data' };

test('stored navigation is read back', () => {
  const memory = { closed: ['Billing'], pinned: ['Volumes'], dismissed: ['p1'], visits: [visit] };
  expect(parse(JSON.stringify(memory))).toEqual(memory);
});

test.each([null, '', 'null', '[]', '{', '{"closed": 1, "visits": [{"href": 1}, "x"]}'])(
  'a memory of %s counts as empty',
  (stored) => {
    expect(parse(stored)).toEqual({ closed: [], pinned: [], dismissed: [], visits: [] });
  },
);
