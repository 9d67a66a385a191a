'use client';

import { useClusterActions } from '@/components/databases/cluster-actions';
import { clusterColumns } from '@/components/databases/cluster-columns';
import { databaseClusters } from '@/components/databases/domain';
import { engineOptions } from '@/components/databases/engine-look';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { createPostgresCluster, listDatabaseClusters } from '@/lib/client/operations/dbaas';

/** The project's database clusters, of all engines. */
export default function DatabaseClustersPage() {
  const { actionsOf, dialog } = useClusterActions();
  return (
    <ResourceList
      of={databaseClusters}
      list={listDatabaseClusters}
      command={createPostgresCluster}
      about="PostgreSQL, MariaDB, Valkey, MongoDB and Qdrant on your own network, with fail-over, backups and upgrades that can be rolled back."
      empty="A cluster is a database with everything around it: a standby that takes over, one address, TLS and upgrades."
      columns={clusterColumns}
      filters={[{ name: 'engine', label: 'Engine', options: engineOptions }, 'status']}
      actions={actionsOf}
    >
      {() => dialog}
    </ResourceList>
  );
}
