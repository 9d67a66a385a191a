import { inProject, withQuery } from '@/lib/address';

/** The tabs of a function's page, each with an address. */
export type FunctionTab =
  | 'code'
  | 'configuration'
  | 'triggers'
  | 'invocations'
  | 'versions'
  | 'metrics'
  | 'logs'
  | 'activity';

/** Addresses of the pages of this domain. */
export const functionPaths = {
  functions: (project: string) => inProject(project, 'serverless/functions'),
  newFunction: (project: string) => inProject(project, 'serverless/functions/new'),
  function: (project: string, id: string, tab?: FunctionTab) =>
    withQuery(inProject(project, `serverless/functions/${id}`), { tab: tab === 'code' ? undefined : tab }),
};
