'use client';

import type { ReactNode } from 'react';
import { useInstanceActions } from '@/components/compute/instance-actions';
import { useImageActions } from '@/components/images/image-actions';
import type { Action } from '@/components/kit/table/row-actions';
import { useAct } from '@/components/kit/table/use-act';
import { useNetworkActions } from '@/components/network/network-actions';
import { useSecurityGroupActions } from '@/components/network/security-group-actions';
import { useSnapshotActions } from '@/components/storage/snapshot-actions';
import { useVolumeActions } from '@/components/storage/volume-actions';
import { useProject } from '@/lib/client/project';
import type { PaletteCommand } from './commands';
import type { SearchResult } from './found';

/**
 * What can be done with a resource, as lines ("web-1: Reboot") that answer a verb, all of them without one; and the
 * dialog that an action has opened, which stays when the palette closes.
 */
export function useVerbs(
  target: SearchResult | undefined,
  verb: string,
): { lines: readonly PaletteCommand[]; dialog: ReactNode } {
  const { api } = useProject();
  const act = useAct();
  const name = target?.name ?? '';
  const instances = useInstanceActions();
  const volumes = useVolumeActions();
  const snapshotActions = useSnapshotActions();
  const imageActions = useImageActions();
  const networkActions = useNetworkActions();
  const groupActions = useSecurityGroupActions();

  const params = { params: { path: { id: target?.id ?? '' } } };
  const only = (type: string) => ({ enabled: target?.type === type });
  const instance = api.useQuery('get', '/api/v1/compute/instances/{id}', params, only('instance'));
  const volume = api.useQuery('get', '/api/v1/storage/volumes/{id}', params, only('volume'));
  const snapshot = api.useQuery('get', '/api/v1/storage/snapshots/{id}', params, only('snapshot'));
  const image = api.useQuery('get', '/api/v1/images/images/{id}', params, only('image'));
  const network = api.useQuery('get', '/api/v1/network/networks/{id}', params, only('network'));
  const group = api.useQuery('get', '/api/v1/network/security-groups/{id}', params, only('security_group'));

  const actions: Readonly<Record<string, () => readonly Action[] | undefined>> = {
    instance: () => instance.data && instances.actionsOf(instance.data),
    volume: () => volume.data && volumes.actionsOf(volume.data),
    snapshot: () => snapshot.data && snapshotActions(snapshot.data),
    image: () => image.data && imageActions(image.data),
    network: () => network.data && networkActions(network.data),
    security_group: () => group.data && groupActions(group.data),
  };
  const lines = (target && actions[target.type]?.()) ?? [];
  return {
    lines: lines
      .filter(({ label }) => label.toLowerCase().startsWith(verb))
      .map((action) => ({
        group: 'Actions on resources',
        label: `${name}: ${action.label}`,
        disabledReason: action.disabledReason,
        ...(action.icon && { icon: action.icon }),
        ...(action.href === undefined ? { run: () => act(action, name) } : { href: action.href }),
      })),
    dialog: (
      <>
        {instances.dialog}
        {volumes.dialog}
      </>
    ),
  };
}
