'use client';

import { HardDrive, Link2 } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { Size } from '@/components/kit/data/amounts';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { Time } from '@/components/kit/data/time';
import { EmptyState } from '@/components/kit/page/empty-state';
import { columnsOf, DataTable } from '@/components/kit/table/data-table';
import { useTableState } from '@/components/kit/table/table-state';
import { Button } from '@/components/kit/ui/button';
import { type Volume, whyNotInto } from '@/components/storage/storage-can';
import { useVolumeActions } from '@/components/storage/volume-actions';
import { volumeColumns } from '@/components/storage/volume-columns';
import { useList } from '@/lib/client/list';
import { useMay } from '@/lib/client/may';
import type { Instance } from './instance-actions';

const AttachDialog = dynamic(() => import('@/components/storage/attach-dialog').then((module) => module.AttachDialog));

const column = columnsOf<Volume>();
const columns = [
  ...volumeColumns,
  column.accessor('attachments', {
    header: 'Attached',
    meta: { from: 'sm' },
    cell: ({ getValue }) => <Time at={getValue()[0]?.attached_at} />,
  }),
];

/** The volumes that an instance has besides its boot disk. */
export function InstanceVolumes({ instance }: { instance: Instance }) {
  const may = useMay('attachVolume');
  const state = useTableState();
  const list = useList('/api/v1/storage/volumes', { ...state.query, instance_id: instance.id });
  const { actionsOf, dialog } = useVolumeActions();
  const [attaching, setAttaching] = useState(false);
  const refused = may.reason ?? whyNotInto(instance);
  const attach = (
    <DisabledReason reason={refused}>
      <Button onClick={() => setAttaching(true)}>
        <Link2 /> Attach volume
      </Button>
    </DisabledReason>
  );
  return (
    <>
      <DataTable
        noun="volume"
        list={list}
        state={state}
        columns={columns}
        rowName={({ name }) => name}
        searchable={false}
        toolbar={attach}
        actions={actionsOf}
        empty={
          <EmptyState icon={HardDrive} title="No volumes attached" action={attach}>
            The boot disk (<Size gigabytes={instance.flavor.disk_gb} />) is deleted with the instance. Volumes are kept.
          </EmptyState>
        }
      />
      {attaching && <AttachDialog subject={{ instance }} close={() => setAttaching(false)} />}
      {dialog}
    </>
  );
}
