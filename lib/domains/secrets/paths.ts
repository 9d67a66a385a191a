import { inProject, withQuery } from '@/lib/address';

/** Addresses of the pages of this domain. */
export const secretsPaths = {
  secrets: (project: string, shown?: { search: string }) => withQuery(inProject(project, 'security/secrets'), shown),
  newSecret: (project: string) => inProject(project, 'security/secrets/new'),
};
