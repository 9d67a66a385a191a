import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import { ownCell } from '@/lib/settings';
import { listPrograms } from './programs';
import { programReport } from './schema';

/** Programs that services run, in the back office. */
export const programEndpoints = [
  endpoint({
    method: 'GET',
    path: '/programs',
    realm: 'backoffice',
    operation_id: 'listPrograms',
    summary: 'List the programs that services run, and whether they are on this host',
    tag: 'Back office: engines',
    access: 'administrator',
    responses: { 200: z.array(programReport) },
    handle: () => listPrograms(ownCell()),
  }),
];
