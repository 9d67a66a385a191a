'use client';

import type { ReactNode } from 'react';
import { useInstanceActions } from '@/components/compute/instance-actions';
import { useKeyPairActions } from '@/components/compute/key-pair-actions';
import { useClusterActions } from '@/components/databases/cluster-actions';
import { useImageActions } from '@/components/images/image-actions';
import type { Action } from '@/components/kit/table/row-actions';
import { useFloatingIpActions } from '@/components/network/floating-ip-actions';
import { useNetworkActions } from '@/components/network/network-actions';
import { useSecurityGroupActions } from '@/components/network/security-group-actions';
import { useSecretActions } from '@/components/secrets/secret-actions';
import { useSnapshotActions } from '@/components/storage/snapshot-actions';
import { useVolumeActions } from '@/components/storage/volume-actions';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import type { PaletteCommand } from './commands';
import type { SearchResult } from './found';
import { useOpenPage } from './open-page';
import { useVerbLines } from './verb-lines';

/**
 * What can be done with a resource of the project, as lines ("web-1: Reboot") that answer a verb; and the dialog that an
 * action has opened, which stays when the palette closes.
 */
export function useVerbs(
  target: SearchResult | undefined,
  verb: string,
): { lines: readonly PaletteCommand[]; dialog: ReactNode } {
  const { api, project } = useProject();
  const openPage = useOpenPage();
  const instances = useInstanceActions();
  const volumes = useVolumeActions();
  const snapshotActions = useSnapshotActions();
  const imageActions = useImageActions();
  const networkActions = useNetworkActions();
  const groupActions = useSecurityGroupActions();
  const keyPairActions = useKeyPairActions();
  const secrets = useSecretActions();
  const clusters = useClusterActions();
  const floatingIpActions = useFloatingIpActions({
    associate: (id) => openPage(paths.floatingIps(project.slug, { search: target?.name, associate: id })),
  });

  const params = { params: { path: { id: target?.id ?? '' } } };
  const only = (type: string) => ({ enabled: target?.type === type });
  const instance = api.useQuery('get', '/api/v1/compute/instances/{id}', params, only('instance'));
  const volume = api.useQuery('get', '/api/v1/storage/volumes/{id}', params, only('volume'));
  const snapshot = api.useQuery('get', '/api/v1/storage/snapshots/{id}', params, only('snapshot'));
  const image = api.useQuery('get', '/api/v1/images/images/{id}', params, only('image'));
  const network = api.useQuery('get', '/api/v1/network/networks/{id}', params, only('network'));
  const group = api.useQuery('get', '/api/v1/network/security-groups/{id}', params, only('security_group'));
  // The API has no path to one of these.
  const named = { params: { query: { search: target?.name } } };
  const secret = api.useQuery('get', '/api/v1/vault/secrets', named, only('secret'));
  const floatingIp = api.useQuery('get', '/api/v1/network/floating-ips', named, only('floating_ip'));
  const cluster = api.useQuery('get', '/api/v1/dbaas/clusters', named, only('database_cluster'));

  const isTarget = ({ id }: { id: string }) => id === target?.id;
  const actions: Readonly<Record<string, () => readonly Action[] | undefined>> = {
    instance: () => instance.data && instances.actionsOf(instance.data),
    volume: () => volume.data && volumes.actionsOf(volume.data),
    snapshot: () => snapshot.data && snapshotActions(snapshot.data),
    image: () => image.data && imageActions(image.data),
    network: () => network.data && networkActions(network.data),
    security_group: () => group.data && groupActions(group.data),
    key_pair: () => target && keyPairActions(target),
    secret: () => secret.data?.filter(isTarget).flatMap(secrets.actionsOf),
    database_cluster: () => cluster.data?.filter(isTarget).flatMap(clusters.actionsOf),
    floating_ip: () => floatingIp.data?.filter(isTarget).flatMap(floatingIpActions),
  };
  return {
    lines: useVerbLines(target?.name ?? '', verb, target && actions[target.type]?.()),
    dialog: (
      <>
        {instances.dialog}
        {volumes.dialog}
        {secrets.dialog}
        {clusters.dialog}
      </>
    ),
  };
}
