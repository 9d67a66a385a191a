import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import { engineReport } from './schema';
import { listEngineReports } from './service';

/** The status of engines, in the back office. */
export const engineReportEndpoints = [
  endpoint({
    method: 'GET',
    path: '/engines',
    realm: 'backoffice',
    operation_id: 'listEngines',
    summary: 'List the engines of all hosts and their status',
    tag: 'Back office: engines',
    access: 'administrator',
    responses: { 200: z.array(engineReport) },
    handle: () => listEngineReports(),
  }),
];
