import * as z from 'zod/mini';
import { type DimensionName, type Quota, quotaDimensions } from './quota-dimensions';

/** The limits as they stand in the form. */
export type LimitInputs = Record<`${DimensionName}_limit`, string>;
type Limits = Partial<Record<`${DimensionName}_limit`, number>>;

const MOST = 1_000_000_000;

function limit(whole: boolean) {
  const shape = whole ? /^\d+$/ : /^\d+(\.\d{1,6})?$/;
  const says = whole ? 'Enter a whole number, 0 or more.' : 'Enter a number, 0 or more, with up to six decimals.';
  return z.string().check(
    z.trim(),
    z.regex(shape, says),
    z.refine((text) => Number(text) <= MOST, 'Up to 1,000,000,000.'),
  );
}

const whole = limit(true);
const decimal = limit(false);

export const limitsSchema = z.object({
  vcpus_limit: whole,
  ram_gb_limit: decimal,
  storage_tb_limit: decimal,
  instances_limit: whole,
  volumes_limit: whole,
  databases_limit: whole,
  serverless_functions_limit: whole,
  airflow_dags_limit: whole,
  api_gateways_limit: whole,
});

/** The limits of a quota record, for the form. */
export function limitsOf(quota: Quota): LimitInputs {
  return {
    vcpus_limit: String(quota.vcpus.limit),
    ram_gb_limit: String(quota.ram_gb.limit),
    storage_tb_limit: String(quota.storage_tb.limit),
    instances_limit: String(quota.instances.limit),
    volumes_limit: String(quota.volumes.limit),
    databases_limit: String(quota.databases.limit),
    serverless_functions_limit: String(quota.serverless_functions.limit),
    airflow_dags_limit: String(quota.airflow_dags.limit),
    api_gateways_limit: String(quota.api_gateways.limit),
  };
}

/** Those that differ from what they were, as the API takes them; what nobody touched is not written again. */
export function changedLimits(before: Quota, inputs: LimitInputs): Limits {
  const limits: Limits = {};
  for (const { name } of quotaDimensions) {
    const value = Number(inputs[`${name}_limit`]);
    if (value !== before[name].limit) limits[`${name}_limit`] = value;
  }
  return limits;
}

/** The dimensions whose limits differ between two records. */
export function differences(before: Quota, now: Quota) {
  return quotaDimensions.filter(({ name }) => before[name].limit !== now[name].limit);
}
