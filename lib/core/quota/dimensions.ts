/** The nine quota dimensions and their units, in the order of spec 2.1. */
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

/** All dimensions; a breach names the first one exceeded in this order. */
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

/** The limits of a new project (spec 8.1). */
export const defaultLimits = {
  vcpus_limit: '64',
  ram_gb_limit: '256',
  storage_tb_limit: '5',
  instances_limit: '10',
  volumes_limit: '10',
  databases_limit: '10',
  serverless_functions_limit: '20',
  airflow_dags_limit: '10',
  api_gateways_limit: '15',
} as const satisfies Record<`${Dimension}_limit`, string>;
