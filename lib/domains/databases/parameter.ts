import type { EngineParameter } from './schema';

type Value = string | number | boolean;

/** How a parameter is written and what it may be. */
export type Parameter = Omit<EngineParameter, 'engine'>;

const shared = { unit: null, minimum: null, maximum: null, choices: null, restarts: false };
export const integer = (
  name: string,
  unit: string | null,
  [minimum, maximum]: [number, number],
  fallback: number | null,
  description: string,
  restarts = false,
): Parameter => ({
  ...shared,
  name,
  type: 'integer',
  unit,
  minimum,
  maximum,
  default: fallback,
  description,
  restarts,
});
export const number = (
  name: string,
  [minimum, maximum]: [number, number],
  fallback: number,
  description: string,
): Parameter => ({ ...shared, name, type: 'number', minimum, maximum, default: fallback, description });
export const flag = (name: string, fallback: boolean, description: string): Parameter => ({
  ...shared,
  name,
  type: 'boolean',
  default: fallback,
  description,
});
export const choice = (name: string, choices: string[], fallback: string, description: string): Parameter => ({
  ...shared,
  name,
  type: 'choice',
  choices,
  default: fallback,
  description,
});

/** What is wrong with a value, as a clause; null if nothing is. */
export function parameterTrouble({ type, minimum, maximum, choices, unit }: Parameter, value: Value): string | null {
  if (type === 'boolean') return typeof value === 'boolean' ? null : 'must be true or false';
  if (type === 'choice') return choices?.includes(String(value)) ? null : `must be one of ${choices?.join(', ')}`;
  if (typeof value !== 'number' || (type === 'integer' && !Number.isInteger(value)))
    return `must be ${type === 'integer' ? 'a whole number' : 'a number'}${unit ? ` of ${unit}` : ''}`;
  if ((minimum !== null && value < minimum) || (maximum !== null && value > maximum))
    return `must be between ${minimum} and ${maximum}${unit ? ` ${unit}` : ''}`;
  return null;
}
