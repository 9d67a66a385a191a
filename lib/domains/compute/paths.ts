import { inProject, withQuery } from '@/lib/address';

/** The tabs of an instance's page, each with an address. */
export type InstanceTab = 'overview' | 'console' | 'network' | 'volumes' | 'metrics' | 'logs' | 'activity';

/** Addresses of the pages of this domain. */
export const computePaths = {
  instances: (project: string) => inProject(project, 'compute/instances'),
  newInstance: (project: string, from?: { image_id?: string; flavor_id?: string }) =>
    withQuery(inProject(project, 'compute/instances/new'), from),
  instance: (project: string, id: string, tab?: InstanceTab) =>
    withQuery(inProject(project, `compute/instances/${id}`), { tab: tab === 'overview' ? undefined : tab }),
  flavors: (project: string) => inProject(project, 'compute/flavors'),
  keyPairs: (project: string, shown?: { search: string }) => withQuery(inProject(project, 'compute/key-pairs'), shown),
  newKeyPair: (project: string) => inProject(project, 'compute/key-pairs/new'),
};
