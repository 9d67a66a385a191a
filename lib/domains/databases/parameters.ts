import { invalid } from '@/lib/core/api/errors';
import type { DatabaseEngine } from './engines';
import { type Parameter, parameterTrouble } from './parameter';
import { postgresParameters } from './postgres/parameters';
import type { EngineParameter } from './schema';
import { valkeyParameters } from './valkey/parameters';

export type Parameters = Record<string, string | number | boolean>;

const known: Partial<Record<DatabaseEngine, readonly Parameter[]>> = {
  postgres: postgresParameters,
  valkey: valkeyParameters,
};

/** What tenants may set, by engine. */
export const listParameters = (engine?: DatabaseEngine): EngineParameter[] =>
  Object.entries(known).flatMap(([name, list]) =>
    engine === undefined || engine === name
      ? (list ?? []).map((one) => ({ engine: name as DatabaseEngine, ...one }))
      : [],
  );

/**
 * The parameters after a change; null resets one to its default.
 * @throws ApiError 400 that names the parameter, and its bounds with their unit
 */
export function changedParameters(
  engine: DatabaseEngine,
  present: Parameters,
  change: Record<string, string | number | boolean | null>,
): Parameters {
  const result = { ...present };
  for (const [name, value] of Object.entries(change)) {
    const parameter = known[engine]?.find((one) => one.name === name);
    if (!parameter)
      throw invalid(`parameters.${name}: ${engine} has no such parameter. GET /dbaas/catalog/parameters lists them.`);
    if (value === null) {
      delete result[name];
      continue;
    }
    const trouble = parameterTrouble(parameter, value);
    if (trouble) throw invalid(`parameters.${name} ${trouble}.`);
    result[name] = value;
  }
  return result;
}

/** Whether members have to end and begin anew for a change of parameters. */
export const restartsFor = (engine: DatabaseEngine, before: Parameters, after: Parameters): boolean =>
  (known[engine] ?? []).some(({ name, restarts }) => restarts && before[name] !== after[name]);
