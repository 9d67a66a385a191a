'use client';

import { useState } from 'react';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { Id } from '@/components/kit/data/id';
import { PropertyList } from '@/components/kit/data/property-list';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { useRefusal } from '@/lib/client/may';
import { type Cluster, whyNotChange } from './types';

const ResetPasswordDialog = lazyComponent(() =>
  import('./reset-password-dialog').then((module) => module.ResetPasswordDialog),
);

/** The user of a cluster, who owns its data; the others are created with SQL, or as the engine does it. */
export function UserCard({ cluster }: { cluster: Cluster }) {
  const [open, setOpen] = useState(false);
  const refusal = useRefusal();
  const { engine, username, database } = cluster;
  const secret = engine === 'qdrant' ? 'API key' : 'password';
  return (
    <Card
      title={engine === 'qdrant' ? 'Access' : 'User'}
      actions={
        <DisabledReason reason={refusal('resetDatabasePassword') ?? whyNotChange(cluster)}>
          <Button size="sm" onClick={() => setOpen(true)}>
            Reset {secret}
          </Button>
        </DisabledReason>
      }
    >
      <PropertyList
        items={[
          ['Name', username === null ? undefined : <Id key="name" value={username} label="user name" full />],
          ['Database', database === null ? undefined : <Id key="db" value={database} label="database" full />],
          [engine === 'qdrant' ? 'API key' : 'Password', 'Shown once, when it is set'],
        ]}
      />
      {open && <ResetPasswordDialog cluster={cluster} close={() => setOpen(false)} />}
    </Card>
  );
}
