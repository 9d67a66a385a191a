import type { components } from '@/lib/client/schema';

export type Quota = components['schemas']['Quota'];

/** The nine dimensions in the order of the quota record, as people call them; `whole` ones count things. */
export const quotaDimensions = [
  { name: 'vcpus', label: 'vCPUs', unit: 'vCPUs', whole: true },
  { name: 'ram_gb', label: 'Memory', unit: 'GB', whole: false },
  { name: 'storage_tb', label: 'Block storage', unit: 'TB', whole: false },
  { name: 'instances', label: 'Instances', unit: 'VMs', whole: true },
  { name: 'volumes', label: 'Volumes', unit: 'Volumes', whole: true },
  { name: 'databases', label: 'Databases', unit: 'Clusters', whole: true },
  { name: 'serverless_functions', label: 'Functions', unit: 'Functions', whole: true },
  { name: 'airflow_dags', label: 'Workflow DAGs', unit: 'DAGs', whole: true },
  { name: 'api_gateways', label: 'Gateway routes', unit: 'Routes', whole: true },
] as const;

export type DimensionName = (typeof quotaDimensions)[number]['name'];
