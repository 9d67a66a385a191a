'use client';

import { ResourceList } from '@/components/kit/resource/resource-list';
import { layers } from '@/components/layers/domain';
import { useLayerActions } from '@/components/layers/layer-actions';
import { layerColumns } from '@/components/layers/layer-columns';
import { createLayer, listLayers } from '@/lib/client/operations/layers';

const owners = [
  { value: 'with_me', label: 'Shared with this project' },
  { value: 'public', label: 'Public' },
];

/** The project's layers, and those that others share. */
export default function LayersPage() {
  return (
    <ResourceList
      of={layers}
      list={listLayers}
      command={createLayer}
      about="Dependencies that functions share: built once, in versions that never change."
      empty="Put packages that several functions need into a layer: from requirements of pip or npm, or from an archive."
      columns={layerColumns}
      filters={[{ name: 'shared', label: 'Owner', options: owners }]}
      actions={useLayerActions()}
    />
  );
}
