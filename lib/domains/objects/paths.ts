import { inProject, withQuery } from '@/lib/address';

/** The tabs of a bucket's page, each with an address. */
export type BucketTab = 'objects' | 'settings' | 'activity';

/** Addresses of the pages of this domain. */
export const objectsPaths = {
  buckets: (project: string) => inProject(project, 'storage/buckets'),
  newBucket: (project: string) => inProject(project, 'storage/buckets/new'),
  bucket: (project: string, name: string, shown: { tab?: BucketTab; prefix?: string } = {}) =>
    withQuery(inProject(project, `storage/buckets/${name}`), {
      tab: shown.tab === 'objects' ? undefined : shown.tab,
      prefix: shown.prefix === '' ? undefined : shown.prefix,
    }),
  accessKeys: (project: string, shown?: { search: string }) =>
    withQuery(inProject(project, 'storage/access-keys'), shown),
  newAccessKey: (project: string) => inProject(project, 'storage/access-keys/new'),
};
