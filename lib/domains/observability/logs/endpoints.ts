import { endpoint } from '@/lib/core/api/endpoint';
import * as schema from './schema';

const tag = 'Logs';

export const logEndpoints = [
  endpoint({
    method: 'GET',
    path: '/observability/loki/api/v1/status/buildinfo',
    operation_id: 'getLokiBuildInfo',
    summary: 'Show the version of Loki whose API this is',
    description: 'Grafana asks for it to find out which queries it may send.',
    tag,
    access: 'reader',
    responses: { 200: schema.buildInfo },
    handle: () => ({
      version: '3.0.0',
      revision: 'nephele',
      branch: '',
      buildUser: '',
      buildDate: '',
      goVersion: '',
    }),
  }),
];
