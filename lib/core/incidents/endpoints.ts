import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import { incident, incidentQuery } from './schema';
import { listIncidents } from './service';

/** Incidents for operators, in the back office. */
export const incidentEndpoints = [
  endpoint({
    method: 'GET',
    path: '/incidents',
    realm: 'backoffice',
    operation_id: 'listIncidents',
    summary: 'List incidents',
    description:
      'For example, an operation that missed its deadline: open until an operation on the resource succeeds. Newest first.',
    tag: 'Back office: incidents',
    access: 'administrator',
    query: incidentQuery,
    responses: { 200: z.array(incident) },
    handle: (call, { query }) => listIncidents(call, query),
  }),
];
