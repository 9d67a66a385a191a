import { expect, test } from 'vitest';
import { z } from 'zod';
import { issueWords } from './issue-words';

const schema = z.strictObject({
  name: z.string().min(1).max(3).optional(),
  note: z.string().regex(/^a/, 'must begin with a').optional(),
  role: z.enum(['reader', 'member', 'admin']).default('reader'),
  kind: z.literal('disk').default('disk'),
  size_gb: z.int().min(1).max(10).multipleOf(2).default(2),
  share: z.number().gt(0).lt(1).default(0.5),
  tags: z.array(z.string()).min(1).max(2).default(['x']),
  id: z.uuid().optional(),
  at: z.iso.datetime().optional(),
  range: z.cidrv4().optional(),
  on: z.boolean().optional(),
});

test.each([
  [{ name: 7 }, 'must be a string'],
  [{ name: '' }, 'must have at least 1 character'],
  [{ name: 'four' }, 'must have at most 3 characters'],
  [{ note: 'b' }, 'must begin with a'],
  [{ role: 'owner' }, 'must be one of "reader", "member" or "admin"'],
  [{ kind: 'tape' }, 'must be "disk"'],
  [{ size_gb: 1.5 }, 'must be an integer'],
  [{ size_gb: 0 }, 'must be at least 1'],
  [{ size_gb: 12 }, 'must be at most 10'],
  [{ size_gb: 3 }, 'must be a multiple of 2'],
  [{ share: 0 }, 'must be more than 0'],
  [{ share: 1 }, 'must be less than 1'],
  [{ tags: [] }, 'must have at least 1 element'],
  [{ tags: ['a', 'b', 'c'] }, 'must have at most 2 elements'],
  [{ id: '7' }, 'must be a UUID'],
  [{ at: 'noon' }, 'must be a time such as 2026-01-31T12:00:00Z'],
  [{ range: '10.0.0.0' }, 'must be an IPv4 CIDR such as 10.0.0.0/24'],
  [{ on: 'yes' }, 'must be true or false'],
])('%j %s', (value, words) => {
  const { error } = schema.safeParse(value, { error: issueWords });
  expect(error?.issues.map(({ message }) => message)).toContain(words);
});

test.each([
  [z.strictObject({ role: z.enum(['reader', 'admin']) }), 'is required: one of "reader" or "admin"'],
  [z.strictObject({ name: z.string() }), 'is required'],
  [z.strictObject({ either: z.union([z.string(), z.number()]) }), 'is required'],
])('a missing field is reported as required', (required, words) => {
  expect(required.safeParse({}, { error: issueWords }).error?.issues[0]?.message).toBe(words);
});

test('an error message never repeats the submitted value', () => {
  const { error } = schema.safeParse({ role: 'hunter2', id: 'hunter2', name: 'hunter2' }, { error: issueWords });
  expect(JSON.stringify(error?.issues.map(({ message }) => message))).not.toContain('hunter2');
});
