import * as z from 'zod/mini';
import { formatNumber } from '@/lib/format/number';
import type { Cluster, Parameter } from './types';

// Parameters are fields by their position: names with dots would be paths in a form.

export interface ParameterValues {
  values: string[];
}

type Value = string | number | boolean;

/** What a parameter has now, as typed text; empty where it depends on the size. */
export function typedValue({ name, default: preset }: Parameter, set: Cluster['parameters']): string {
  const value = set[name] ?? preset;
  return value === null ? '' : String(value);
}

/** Why a typed value is not possible, if so. An empty one resets the parameter. */
export function problemOf({ type, minimum, maximum, unit }: Parameter, typed: string): string | undefined {
  if (typed === '' || (type !== 'integer' && type !== 'number')) return undefined;
  const value = Number(typed);
  const of = unit === null ? '' : ` ${unit}`;
  if (!Number.isFinite(value)) return 'Enter a number.';
  if (type === 'integer' && !Number.isInteger(value)) return 'Enter a whole number.';
  if (minimum !== null && value < minimum) return `At least ${formatNumber(minimum)}${of}.`;
  return maximum !== null && value > maximum ? `Up to ${formatNumber(maximum)}${of}.` : undefined;
}

/** The form's schema for these parameters. */
export function parameterSchema(parameters: readonly Parameter[]) {
  return z.object({ values: z.array(z.string().check(z.trim())) }).check(
    z.check(({ value, issues }) => {
      for (const [position, parameter] of parameters.entries()) {
        const message = problemOf(parameter, value.values[position] ?? '');
        if (message) issues.push({ code: 'custom', input: value, path: ['values', position], message });
      }
    }),
  );
}

/** What the API must change: parameters with another value; null for those that return to their default. */
export function changedParameters(
  parameters: readonly Parameter[],
  set: Cluster['parameters'],
  typed: readonly string[],
): Record<string, Value | null> {
  const changes = parameters.flatMap((parameter, position): [string, Value | null][] => {
    const next = typed[position] ?? '';
    if (next === typedValue(parameter, set)) return [];
    const preset = parameter.default === null ? '' : String(parameter.default);
    return [[parameter.name, next === '' || next === preset ? null : parsed(parameter, next)]];
  });
  return Object.fromEntries(changes);
}

function parsed({ type }: Parameter, typed: string): Value {
  if (type === 'boolean') return typed === 'true';
  return type === 'integer' || type === 'number' ? Number(typed) : typed;
}
