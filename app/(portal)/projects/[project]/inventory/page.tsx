'use client';

import { Tags } from 'lucide-react';
import { useState } from 'react';
import { type InventoryItem, inventoryColumns } from '@/components/inventory/columns';
import { inventory } from '@/components/inventory/domain';
import { ExportCsv } from '@/components/kit/data/export-csv';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { useTableState } from '@/components/kit/table/table-state';
import { TextFilter } from '@/components/kit/table/text-filter';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { typeOptions } from '@/components/shell/places';
import { useRefusal } from '@/lib/client/may';
import { listInventory } from '@/lib/client/operations/inventory';

const TagsDialog = lazyComponent(() =>
  import('@/components/inventory/tags-dialog').then((module) => module.TagsDialog),
);

/** Everything that the project has, in one list. */
export default function InventoryPage() {
  const refusal = useRefusal();
  const [edited, setEdited] = useState<InventoryItem>();
  const { query } = useTableState(['type', 'status', 'tag']);
  return (
    <ResourceList
      of={inventory}
      list={listInventory}
      about="All resources of this project, newest first, with their tags and costs."
      empty="Each resource that you create appears here, with its status, addresses, tags and costs."
      buttons={
        <ExportCsv
          path={listInventory.path}
          query={{ ...query, limit: undefined, cursor: undefined, sort: undefined }}
          name="inventory.csv"
        />
      }
      columns={inventoryColumns}
      filters={[{ name: 'type', label: 'Type', options: typeOptions }]}
      parameters={['status']}
      toolbar={(state) => (
        <TextFilter state={state} name="status" label="Status" hint="A status, such as active or error." />
      )}
      actions={(item) => [
        {
          label: 'Edit tags',
          icon: Tags,
          disabledReason: refusal('replaceTags'),
          onSelect: () => setEdited(item),
        },
      ]}
    >
      {() => edited && <TagsDialog key={edited.id} resource={edited} close={() => setEdited(undefined)} />}
    </ResourceList>
  );
}
