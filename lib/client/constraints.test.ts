import { expect, test } from 'vitest';
import type { ZodMiniType } from 'zod/mini';
import { exactText, severalOf, text, wholeNumber } from './constraints';
import { createTenant } from './operations/backoffice';
import { createVolume } from './operations/storage';

const { fields } = createVolume;

/** The first error for a value; undefined if it is valid. */
const complaint = (schema: ZodMiniType, value: unknown) => schema.safeParse(value).error?.issues[0]?.message;

test('a name is checked as by the API, and trimmed', () => {
  const name = text(fields.name, 'Enter a name.');
  expect(name.parse('  data ')).toBe('data');
  expect(complaint(name, '   ')).toBe('Enter a name.');
  expect(complaint(name, 'x'.repeat(101))).toBe('Up to 100 characters.');
  expect(complaint(name, 'a\u0007b')).toBe('Contains characters that are not allowed.');
});

test('a size is a whole number within the API’s limits', () => {
  const size = wholeNumber(fields.size_gb, 'GB');
  expect(complaint(size, '1.5')).toBe('A whole number of GB.');
  expect(complaint(size, '0')).toBe('At least 1 GB.');
  expect(complaint(size, '16385')).toBe('Up to 16,384 GB.');
  expect(complaint(size, '16384')).toBeUndefined();
});

test('a password is sent exactly as typed', () => {
  const password = exactText(createTenant.fields['admin.password']);
  expect(password.parse(' spaces count ')).toBe(' spaces count ');
  expect(complaint(password, 'short')).toBe('At least 10 characters.');
});

test('choices are limited to the maximum of the API', () => {
  expect(complaint(severalOf({ maxItems: 2 }, 'volumes'), ['a', 'b', 'c'])).toBe('Up to 2 volumes.');
});
