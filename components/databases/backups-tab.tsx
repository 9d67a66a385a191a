'use client';

import { Archive, History } from 'lucide-react';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Loaded } from '@/components/kit/page/loaded';
import { ActionMenu } from '@/components/kit/table/row-actions';
import { useAct } from '@/components/kit/table/use-act';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useList } from '@/lib/client/list';
import { useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { formatBytes } from '@/lib/format/size';
import { formatMoment } from '@/lib/format/time';
import { useBackupActions } from './backup-actions';
import { momentOf } from './backup-look';
import { BackupTimeline } from './backup-timeline';
import { whyNoBackups } from './engine-look';
import { type Backup, backupKindLabels, type Cluster, pathOf, whyNotBackUp } from './types';

/** The backups of a cluster on a timeline, each to be restored; with continuous ones, any moment. */
export function BackupsTab({ cluster }: { cluster: Cluster }) {
  const { engine, namespace, name, restore_window } = cluster;
  const refusal = useRefusal();
  const list = useList('/api/v1/dbaas/backups', { engine, namespace, name, limit: 200 });
  const { actionsOf, restoreTo, dialog } = useBackupActions();
  const none = whyNoBackups(engine);
  const mayRestore = refusal('createPostgresCluster');
  const whyNotMoment = mayRestore ?? (restore_window ? undefined : whyNoMoments(cluster));
  return (
    <div className="space-y-5">
      <Card
        title="Last 7 days"
        description={
          restore_window
            ? 'Changes are archived continuously: any moment on the band can be restored. Dots are backups.'
            : (none ?? `Backups are made every day${engine === 'postgres' ? ' and before upgrades' : ''}.`)
        }
        actions={
          <>
            <BackUp cluster={cluster} />
            <DisabledReason reason={whyNotMoment}>
              <Button size="sm" onClick={() => restoreTo(cluster, undefined)}>
                <History /> Restore to a moment
              </Button>
            </DisabledReason>
          </>
        }
      >
        <BackupTimeline
          cluster={cluster}
          backups={list.data?.rows ?? []}
          onMoment={mayRestore === undefined ? (moment) => restoreTo(cluster, moment) : undefined}
        />
      </Card>
      <Loaded query={list} what="The backups" skeleton={<Skeleton className="h-48 w-full rounded-lg" />}>
        {({ rows }) =>
          rows.length === 0 ? (
            <EmptyState icon={kindIcon('database-backup')} title="No backups yet">
              {none ?? 'The first one is made within a day. Each is verified by restoring it.'}
            </EmptyState>
          ) : (
            <BackupList backups={rows} actionsOf={actionsOf} />
          )
        }
      </Loaded>
      {dialog}
    </div>
  );
}

function whyNoMoments({ engine }: Cluster): string {
  return engine === 'postgres' ? 'After the first backup.' : 'Only PostgreSQL can be restored to any moment.';
}

function BackUp({ cluster }: { cluster: Cluster }) {
  const { api } = useProject();
  const refusal = useRefusal();
  const act = useAct();
  const backUp = api.useMutation('post', '/api/v1/dbaas/clusters/{engine}/{ns}/{name}/backups');
  const run = () => backUp.mutateAsync({ params: { path: pathOf(cluster) } });
  return (
    <DisabledReason reason={refusal('createDatabaseBackup') ?? whyNotBackUp(cluster)}>
      <Button size="sm" pending={backUp.isPending} onClick={() => act({ label: 'Back up', run }, cluster.name)}>
        <Archive /> Back up
      </Button>
    </DisabledReason>
  );
}

interface BackupListProps {
  backups: readonly Backup[];
  actionsOf: ReturnType<typeof useBackupActions>['actionsOf'];
}

function BackupList({ backups, actionsOf }: BackupListProps) {
  return (
    <ul aria-label="Backups" className="rounded-lg border bg-surface">
      {backups.map((backup) => (
        <BackupRow key={backup.id} backup={backup} actionsOf={actionsOf} />
      ))}
    </ul>
  );
}

function BackupRow({ backup, actionsOf }: { backup: Backup; actionsOf: BackupListProps['actionsOf'] }) {
  const { kind, status, status_reason, size_bytes, verified_at, expires_at, version, location } = backup;
  const facts = [
    `Version ${version}`,
    size_bytes !== null && formatBytes(size_bytes),
    location === 'object_storage' ? 'in object storage' : 'on its host',
    status === 'available' && (verified_at === null ? 'not verified yet' : 'verified by restoring'),
  ].filter((fact) => fact !== false);
  return (
    // On a phone, each row is a stack: the time and the menu on one line, the other values below.
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1.5 px-4 py-2.5 text-sm not-last:border-b lg:grid-cols-[7.5rem_7rem_9rem_minmax(0,1fr)_auto]">
      <span className="font-medium tabular-nums">
        <Time at={momentOf(backup)} form="moment" />
      </span>
      <span className="lg:order-last">
        <ActionMenu name={`the backup of ${formatMoment(momentOf(backup))}`} actions={actionsOf(backup)} />
      </span>
      <span className="max-lg:col-span-2">
        <StatusBadge status={status} reason={status_reason} />
      </span>
      <span className="max-lg:col-span-2">{backupKindLabels[kind]}</span>
      <span className="text-ink-muted text-xs max-lg:col-span-2">
        {facts.join(' · ')}
        {expires_at !== null && (
          <>
            {' · expires '}
            <Time at={expires_at} />
          </>
        )}
      </span>
    </li>
  );
}
