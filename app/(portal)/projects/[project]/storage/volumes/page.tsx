'use client';

import { ResourceList } from '@/components/kit/resource/resource-list';
import { createdColumn, idColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import { priceColumn } from '@/components/pricing/price-column';
import { AttachedTo } from '@/components/storage/attached-to';
import { volumes } from '@/components/storage/domain';
import type { Volume } from '@/components/storage/storage-can';
import { useVolumeActions } from '@/components/storage/volume-actions';
import { volumeColumns } from '@/components/storage/volume-columns';
import { createVolume, listVolumes } from '@/lib/client/operations/storage';
import { billedStorage } from '@/lib/domains/storage/billed';

const column = columnsOf<Volume>();
const columns = [
  ...volumeColumns,
  column.accessor('attachments', {
    header: 'Attached to',
    cell: ({ getValue }) => <AttachedTo attachments={getValue()} />,
  }),
  column.accessor('snapshot_count', { header: 'Snapshots', meta: { align: 'right', from: 'lg' } }),
  priceColumn<Volume>(({ size_gb }) => billedStorage(size_gb, 'Volume')),
  idColumn<Volume>('volume'),
  createdColumn<Volume>({ from: 'md' }),
];

/** The project's disks, and which instance has each. */
export default function VolumesPage() {
  const { actionsOf, dialog } = useVolumeActions();
  return (
    <ResourceList
      of={volumes}
      list={listVolumes}
      command={createVolume}
      about="Block storage that outlives instances. Attach, detach and resize volumes while instances run."
      empty="A volume is a persistent disk. Attach it to an instance; its data is kept when the instance is deleted."
      columns={columns}
      filters={['status']}
      actions={actionsOf}
    >
      {() => dialog}
    </ResourceList>
  );
}
