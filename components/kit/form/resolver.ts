import { toNestErrors } from '@hookform/resolvers';
import type { FieldValues, Resolver } from 'react-hook-form';
import { type $ZodType, safeParse } from 'zod/v4/core';

/**
 * Checks a form with a `zod/mini` schema; the first issue of a field is its error. The resolver of the library also
 * handles two other major versions of zod, at a kilobyte on every page with a form.
 */
export function schemaResolver<Input extends FieldValues, Output extends FieldValues>(
  schema: $ZodType<Output, Input>,
): Resolver<Input, unknown, Output> {
  return (values, _context, options) => {
    const checked = safeParse(schema, values);
    if (checked.success) return { values: checked.data, errors: {} };
    const errors: Record<string, { type: string; message: string }> = {};
    for (const { path, code, message } of checked.error.issues)
      errors[path.join('.')] ??= { type: code ?? '', message };
    return { values: {}, errors: toNestErrors(errors, options) };
  };
}
