'use client';

import { Link2 } from 'lucide-react';
import { useState } from 'react';
import { Size } from '@/components/kit/data/amounts';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { Time } from '@/components/kit/data/time';
import { ResourceTable } from '@/components/kit/resource/resource-table';
import { columnsOf } from '@/components/kit/table/data-table';
import { Button } from '@/components/kit/ui/button';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { volumes } from '@/components/storage/domain';
import { type Volume, whyNotInto } from '@/components/storage/storage-can';
import { useVolumeActions } from '@/components/storage/volume-actions';
import { volumeColumns } from '@/components/storage/volume-columns';
import { useMay } from '@/lib/client/may';
import { listVolumes } from '@/lib/client/operations/storage';
import type { Instance } from './instance-actions';

const AttachDialog = lazyComponent(() =>
  import('@/components/storage/attach-dialog').then((module) => module.AttachDialog),
);

const column = columnsOf<Volume>();
const columns = [
  ...volumeColumns,
  column.accessor('attachments', {
    header: 'Attached',
    cell: ({ getValue }) => <Time at={getValue()[0]?.attached_at} />,
  }),
];

/** The volumes that an instance has besides its boot disk. */
export function InstanceVolumes({ instance }: { instance: Instance }) {
  const may = useMay('attachVolume');
  const { actionsOf, dialog } = useVolumeActions();
  const [attaching, setAttaching] = useState(false);
  const attach = (
    <DisabledReason reason={may.reason ?? whyNotInto(instance)}>
      <Button onClick={() => setAttaching(true)}>
        <Link2 /> Attach volume
      </Button>
    </DisabledReason>
  );
  return (
    <>
      <ResourceTable
        of={volumes}
        list={listVolumes}
        query={{ instance_id: instance.id }}
        columns={columns}
        searchable={false}
        toolbar={() => attach}
        actions={actionsOf}
        create={attach}
        emptyTitle="No volumes attached"
        empty={
          <>
            The boot disk (<Size gigabytes={instance.flavor.disk_gb} />) is deleted with the instance. Volumes are kept.
          </>
        }
      />
      {attaching && <AttachDialog subject={{ instance }} close={() => setAttaching(false)} />}
      {dialog}
    </>
  );
}
