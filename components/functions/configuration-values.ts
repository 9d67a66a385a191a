import * as z from 'zod/mini';
import { text, wholeNumber } from '@/lib/client/constraints';
import { replaceFunction } from '@/lib/client/operations/functions';
import { bodyOf, type CloudFunction, type ReplaceBody } from './types';

const { fields } = replaceFunction;

/** A variable in the form: its value as typed, a secret, or what it has already. */
const variable = z.object({
  name: z.string().check(z.trim(), z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'Letters, digits and underscores.')),
  kind: z.enum(['value', 'secret', 'kept']),
  value: z.string(),
});
export type VariableValues = z.output<typeof variable>;

export const configurationSchema = z.object({
  handler: text(fields.handler, 'Enter a handler.', 'A file and an export, such as main.handler.'),
  memory_mb: wholeNumber(fields.memory_mb, 'MB'),
  timeout_s: wholeNumber(fields.timeout_s, 'seconds'),
  concurrency: wholeNumber(fields.concurrency, 'events'),
  network: z.enum(['none', 'outbound', 'project']),
  network_id: z.string(),
  security_group_ids: z.array(z.string()),
  env: z.array(variable).check(
    z.refine((all) => new Set(all.map(({ name }) => name.trim())).size === all.length, 'Each name only once.'),
    z.refine((all) => all.every(({ kind, value }) => kind !== 'secret' || value !== ''), 'Choose a secret.'),
  ),
  layer_version_ids: z.array(z.string()),
});
export type ConfigurationValues = z.output<typeof configurationSchema>;

/** A function's configuration as a form shows it. */
export function valuesOf(of: CloudFunction): ConfigurationValues {
  return {
    handler: of.handler,
    memory_mb: String(of.memory_mb),
    timeout_s: String(of.timeout_s),
    concurrency: String(of.concurrency),
    network: of.network,
    network_id: of.network_id ?? '',
    security_group_ids: of.security_group_ids,
    env: of.env.map(({ name, secret_id }) => ({
      name,
      kind: secret_id === null ? 'kept' : 'secret',
      value: secret_id ?? '',
    })),
    layer_version_ids: of.layer_version_ids,
  };
}

const sentValue = ({ kind, value }: VariableValues) => {
  if (kind === 'kept') return null;
  return kind === 'secret' ? { secret_id: value } : value;
};

/** The request for a filled form; what it does not show stays. */
export function configurationBody(of: CloudFunction, values: ConfigurationValues): ReplaceBody {
  // They belong to a port, which the new version may not have.
  const { network_id: _, security_group_ids: __, ...body } = bodyOf(of);
  return {
    ...body,
    handler: values.handler,
    memory_mb: Number(values.memory_mb),
    timeout_s: Number(values.timeout_s),
    concurrency: Number(values.concurrency),
    network: values.network,
    ...(values.network === 'project'
      ? {
          security_group_ids: values.security_group_ids,
          ...(values.network_id === '' ? {} : { network_id: values.network_id }),
        }
      : {}),
    env: Object.fromEntries(values.env.map((one) => [one.name.trim(), sentValue(one)])),
    layer_version_ids: values.layer_version_ids,
  };
}
