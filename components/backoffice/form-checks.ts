import * as z from 'zod/mini';
import { exactText, text } from '@/lib/client/constraints';
import { createTenant } from '@/lib/client/operations/backoffice';

// What forms of the back office ask for more than once.

const { fields } = createTenant;

export const displayName = text(fields.name, 'Enter a name.');

export const personName = text(fields['admin.name'], 'Enter a name.');

export const email = z.email('Enter an e-mail address, such as ianthe@example.org.');

export const newPassword = exactText(fields['admin.password']);

export const slug = text(
  fields.slug,
  'Enter a slug.',
  'Use lowercase letters, digits and hyphens. Start with a letter.',
);
