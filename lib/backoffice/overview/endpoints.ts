import { endpoint } from '@/lib/core/api/endpoint';
import { overview } from './schema';
import { readOverview } from './service';

/** The home of the back office. */
export const overviewEndpoints = [
  endpoint({
    method: 'GET',
    path: '/overview',
    realm: 'backoffice',
    operation_id: 'readPlatformOverview',
    summary: 'Read platform-wide figures',
    tag: 'Back office: overview',
    access: 'administrator',
    responses: { 200: overview },
    handle: readOverview,
  }),
];
