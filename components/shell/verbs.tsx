'use client';

import type { ReactNode } from 'react';
import { useCertificateActions } from '@/components/certificates/certificate-actions';
import { useInstanceActions } from '@/components/compute/instance-actions';
import { useKeyPairActions } from '@/components/compute/key-pair-actions';
import { useClusterActions } from '@/components/databases/cluster-actions';
import { useFunctionActions } from '@/components/functions/function-actions';
import { useRouteActions } from '@/components/gateway/route-actions';
import { useImageActions } from '@/components/images/image-actions';
import type { Action } from '@/components/kit/table/row-actions';
import { useLayerActions } from '@/components/layers/layer-actions';
import { useLoadBalancerActions } from '@/components/loadbalancing/load-balancer-actions';
import { useFloatingIpActions } from '@/components/network/floating-ip-actions';
import { useNetworkActions } from '@/components/network/network-actions';
import { useSecurityGroupActions } from '@/components/network/security-group-actions';
import { useBucketActions } from '@/components/objects/bucket-actions';
import { useSecretActions } from '@/components/secrets/secret-actions';
import { useSnapshotActions } from '@/components/storage/snapshot-actions';
import { useVolumeActions } from '@/components/storage/volume-actions';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import type { PaletteCommand } from './commands';
import type { SearchResult } from './found';
import { useOpenPage } from './open-page';
import { useVerbLines } from './verb-lines';
import { useTarget } from './verb-target';

/**
 * What can be done with a resource of the project, as lines ("web-1: Reboot") that answer a verb; and the dialog that an
 * action has opened, which stays when the palette closes.
 */
export function useVerbs(
  target: SearchResult | undefined,
  verb: string,
): { lines: readonly PaletteCommand[]; dialog: ReactNode } {
  const { project } = useProject();
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
  const balancers = useLoadBalancerActions();
  const routes = useRouteActions();
  const certificateActions = useCertificateActions();
  const bucketActions = useBucketActions();
  const functionActions = useFunctionActions();
  const layerActions = useLayerActions();
  const floatingIpActions = useFloatingIpActions({
    associate: (id) => openPage(paths.floatingIps(project.slug, { search: target?.name, associate: id })),
  });

  const { list, ...found } = useTarget(target);
  const isTarget = ({ id }: { id: string }) => id === target?.id;
  const actions: Readonly<Record<string, () => readonly Action[] | undefined>> = {
    instance: () => found.instance && instances.actionsOf(found.instance),
    volume: () => found.volume && volumes.actionsOf(found.volume),
    snapshot: () => found.snapshot && snapshotActions(found.snapshot),
    image: () => found.image && imageActions(found.image),
    network: () => found.network && networkActions(found.network),
    security_group: () => found.group && groupActions(found.group),
    load_balancer: () => found.balancer && balancers.actionsOf(found.balancer),
    gateway_route: () => found.route && routes.actionsOf(found.route),
    certificate: () => found.certificate && certificateActions(found.certificate),
    bucket: () => found.bucket && bucketActions(found.bucket),
    function: () => found.function && functionActions(found.function),
    layer: () => found.layer && layerActions(found.layer),
    key_pair: () => target && keyPairActions(target),
    secret: () => list.secrets?.filter(isTarget).flatMap(secrets.actionsOf),
    database_cluster: () => list.clusters?.filter(isTarget).flatMap(clusters.actionsOf),
    floating_ip: () => list.floatingIps?.filter(isTarget).flatMap(floatingIpActions),
  };
  return {
    lines: useVerbLines(target?.name ?? '', verb, target && actions[target.type]?.()),
    dialog: (
      <>
        {instances.dialog}
        {volumes.dialog}
        {secrets.dialog}
        {clusters.dialog}
        {balancers.dialog}
        {routes.dialog}
      </>
    ),
  };
}
