import { inProject, withQuery } from '@/lib/address';

/** The tabs of a volume's page. */
export type VolumeTab = 'overview' | 'snapshots' | 'metrics' | 'activity';

/** Addresses of the pages of this domain. */
export const storagePaths = {
  volumes: (project: string) => inProject(project, 'storage/volumes'),
  newVolume: (project: string, from?: { image_id?: string; snapshot_id?: string }) =>
    withQuery(inProject(project, 'storage/volumes/new'), from),
  volume: (project: string, id: string, tab?: VolumeTab) =>
    withQuery(inProject(project, `storage/volumes/${id}`), { tab: tab === 'overview' ? undefined : tab }),
  snapshots: (project: string, shown?: { search: string }) => withQuery(inProject(project, 'storage/snapshots'), shown),
  newSnapshot: (project: string, of?: { volume_id?: string }) =>
    withQuery(inProject(project, 'storage/snapshots/new'), of),
};
