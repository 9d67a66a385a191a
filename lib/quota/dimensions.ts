/** The nine quota dimensions in the order of spec 2.1, each with its unit there. */
export const dimensionUnits = {
  vcpus: 'vCPUs',
  ram_gb: 'GB',
  storage_tb: 'TB',
  instances: 'VMs',
  volumes: 'Volumes',
  databases: 'Clusters',
  serverless_functions: 'Functions',
  airflow_dags: 'DAGs',
  api_gateways: 'Routes',
} as const;

export type Dimension = keyof typeof dimensionUnits;

/** All nine, in the order in which a breach names the first one exceeded. */
export const dimensions = [
  'vcpus',
  'ram_gb',
  'storage_tb',
  'instances',
  'volumes',
  'databases',
  'serverless_functions',
  'airflow_dags',
  'api_gateways',
] as const satisfies readonly Dimension[];

/** A decimal as PostgreSQL writes it, without needless zeros: "10.000000" → "10", "4.500000" → "4.5". */
export function plainDecimal(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
