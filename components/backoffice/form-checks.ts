import * as z from 'zod/mini';

// What forms of the back office ask for more than once; they only spare a round trip, the API checks for itself.

export const displayName = z
  .string()
  .check(z.trim(), z.minLength(1, 'Enter a name.'), z.maxLength(100, 'Up to 100 characters.'));

export const personName = z
  .string()
  .check(z.trim(), z.minLength(1, 'Enter a name.'), z.maxLength(100, 'Up to 100 characters.'));

export const email = z.email('Enter an e-mail address, such as ianthe@example.org.');

export const newPassword = z
  .string()
  .check(z.minLength(10, 'At least 10 characters.'), z.maxLength(256, 'Up to 256 characters.'));

export const slug = z
  .string()
  .check(
    z.minLength(2, 'At least 2 characters.'),
    z.maxLength(63, 'Up to 63 characters.'),
    z.regex(/^[a-z][a-z0-9-]*[a-z0-9]$/, 'Use lowercase letters, digits and hyphens. Start with a letter.'),
  );
