'use client';

import { Archive, ArrowUpCircle, KeyRound, Link2, Scaling, Shuffle, Trash2, Unlink } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Action } from '@/components/kit/table/row-actions';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { hasBackups, whyNoUpgrades } from '@/lib/domains/databases/engines';
import { clusterKey } from '@/lib/domains/databases/paths';
import { formatCount } from '@/lib/format/quantity';
import { formatGigabytes } from '@/lib/format/size';
import { paths } from '@/lib/paths';
import { engineLooks } from './engine-look';
import { type Cluster, pathOf, whyNotBackUp, whyNotChange, whyNotDelete, whyNotFailOver } from './types';

const FloatingIpDialog = lazyComponent(() =>
  import('@/components/network/floating-ip-dialog').then((module) => module.FloatingIpDialog),
);
const ScaleDialog = lazyComponent(() => import('./scale-dialog').then((module) => module.ScaleDialog));
const ResetPasswordDialog = lazyComponent(() =>
  import('./reset-password-dialog').then((module) => module.ResetPasswordDialog),
);

interface Opened {
  what: 'scale' | 'password' | 'address';
  cluster: Cluster;
}

/** The actions of a cluster; and the dialog that an action has opened. */
export function useClusterActions({ onDeleted }: { onDeleted?: () => void } = {}): {
  actionsOf: (cluster: Cluster) => Action[];
  dialog: ReactNode;
} {
  const { api, client, project } = useProject();
  const refusal = useRefusal();
  const failOver = api.useMutation('post', '/api/v1/dbaas/clusters/{engine}/{ns}/{name}/failover');
  const backUp = api.useMutation('post', '/api/v1/dbaas/clusters/{engine}/{ns}/{name}/backups');
  const remove = api.useMutation('delete', '/api/v1/dbaas/clusters/{engine}/{ns}/{name}');
  const disassociate = api.useMutation('post', '/api/v1/network/floating-ips/{id}/disassociate');
  const [opened, setOpened] = useState<Opened>();

  const release = async ({ floating_ip, port_id }: Cluster) => {
    const query = { search: floating_ip ?? '' };
    const { data = [] } = await client.GET('/api/v1/network/floating-ips', { params: { query } });
    const found = data.find((address) => address.port_id === port_id);
    // Without a match, it has been disassociated meanwhile.
    if (found) await disassociate.mutateAsync({ params: { path: { id: found.id } }, body: {} });
  };

  const actionsOf = (cluster: Cluster): Action[] => {
    const { name, engine, floating_ip, port_id, upgrade_available } = cluster;
    const path = pathOf(cluster);
    const open = (what: Opened['what']) => () => setOpened({ what, cluster });
    return [
      {
        label: 'Upgrade',
        icon: ArrowUpCircle,
        disabledReason:
          refusal('upgradeDatabaseCluster') ??
          (cluster.status === 'upgrading' ? undefined : whyNotChange(cluster)) ??
          (upgrade_available === null && cluster.status !== 'upgrading'
            ? (whyNoUpgrades(engine) ?? 'This is the newest certified version.')
            : undefined),
        href: paths.upgradeDatabase(project.slug, clusterKey(cluster)),
      },
      {
        label: 'Scale',
        icon: Scaling,
        disabledReason: refusal('changeDatabaseCluster') ?? whyNotChange(cluster),
        onSelect: open('scale'),
      },
      {
        label: 'Back up',
        icon: Archive,
        disabledReason: refusal('createDatabaseBackup') ?? whyNotBackUp(cluster),
        run: () => backUp.mutateAsync({ params: { path } }),
      },
      {
        label: 'Fail over',
        icon: Shuffle,
        disabledReason: refusal('failOverDatabaseCluster') ?? whyNotFailOver(cluster),
        confirmation: {
          title: `Fail over ${name}?`,
          consequence:
            'Another member becomes the primary. New connections wait for less than a second, open ones end, and no acknowledged write is lost.',
          confirmLabel: 'Fail over',
          harmless: true,
          onConfirm: () => failOver.mutateAsync({ params: { path } }),
        },
      },
      {
        label: engine === 'qdrant' ? 'Reset API key' : 'Reset password',
        icon: KeyRound,
        disabledReason: refusal('resetDatabasePassword') ?? whyNotChange(cluster),
        onSelect: open('password'),
      },
      {
        label: 'Associate floating IP',
        icon: Link2,
        disabledReason:
          refusal('associateFloatingIp') ??
          whyNotDelete(cluster) ??
          (port_id === null ? 'The cluster has no address yet.' : undefined) ??
          (floating_ip === null ? undefined : `Already associated with ${floating_ip}.`),
        onSelect: open('address'),
      },
      {
        label: 'Disassociate floating IP',
        several: (things) => `Disassociate floating IPs from ${things}`,
        icon: Unlink,
        disabledReason:
          refusal('disassociateFloatingIp') ?? (floating_ip === null ? 'No floating IP is associated.' : undefined),
        confirmation: {
          title: `Disassociate ${floating_ip} from ${name}?`,
          consequence: 'Connections through this address end immediately. The address stays in the project.',
          confirmLabel: 'Disassociate',
          harmless: true,
          onConfirm: () => release(cluster),
        },
      },
      {
        label: 'Delete',
        icon: Trash2,
        danger: true,
        disabledReason: refusal('deleteDatabaseCluster') ?? whyNotDelete(cluster),
        confirmation: {
          title: `Delete ${name}?`,
          consequence: consequenceOf(cluster),
          confirmLabel: 'Delete cluster',
          typeToConfirm: name,
          onConfirm: async () => {
            await remove.mutateAsync({ params: { path } });
            onDeleted?.();
          },
        },
      },
    ];
  };
  const close = () => setOpened(undefined);
  return { actionsOf, dialog: opened && <OpenedDialog {...opened} close={close} /> };
}

function OpenedDialog({ what, cluster, close }: Opened & { close: () => void }) {
  if (what === 'scale') return <ScaleDialog cluster={cluster} close={close} />;
  if (what === 'password') return <ResetPasswordDialog cluster={cluster} close={close} />;
  if (cluster.port_id === null) return null;
  return <FloatingIpDialog noun="database" name={cluster.name} port={{ id: cluster.port_id }} close={close} />;
}

/** What is destroyed and what stays. */
function consequenceOf({ engine, instances, used_gb, floating_ip }: Cluster): string {
  const data = used_gb === null ? 'all its data' : `its ${formatGigabytes(used_gb)} of data`;
  const backups = hasBackups(engine)
    ? 'A last backup is kept for 7 days; earlier backups stay until they expire.'
    : 'There is no backup of them.';
  const address = floating_ip === null ? '' : ` The floating IP ${floating_ip} stays in the project, not associated.`;
  return `All connections end. ${formatCount(instances, 'member')} of ${engineLooks[engine].label} and ${data} are destroyed. ${backups}${address}`;
}
