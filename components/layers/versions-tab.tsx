'use client';

import { FileText, Trash2, Upload } from 'lucide-react';
import { useState } from 'react';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { Id } from '@/components/kit/data/id';
import { ResourceTable } from '@/components/kit/resource/resource-table';
import { createdColumn, statusColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import type { Action } from '@/components/kit/table/row-actions';
import { Button } from '@/components/kit/ui/button';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { useRefusal } from '@/lib/client/may';
import { listLayerVersions } from '@/lib/client/operations/layers';
import { useProject } from '@/lib/client/project';
import { formatBytes } from '@/lib/format/size';
import { layers } from './domain';
import { type Layer, type LayerVersion, runtimeName, whyNotOwn } from './types';

const PublishDialog = lazyComponent(() => import('./publish-dialog').then((module) => module.PublishDialog));
const VersionSheet = lazyComponent(() => import('./version-sheet').then((module) => module.VersionSheet));

const column = columnsOf<LayerVersion>();

interface VersionsTabProps {
  layer: Layer;
}

/** The versions of a layer, newest first. */
export function VersionsTab({ layer }: VersionsTabProps) {
  const { api } = useProject();
  const refusal = useRefusal();
  const [publishing, setPublishing] = useState(false);
  const [shown, setShown] = useState<LayerVersion>();
  const remove = api.useMutation('delete', '/api/v1/layers/{id}/versions/{version_id}');
  const publish = (
    <DisabledReason reason={refusal('publishLayerVersion') ?? whyNotOwn(layer)}>
      <Button variant="primary" onClick={() => setPublishing(true)}>
        <Upload /> Publish version
      </Button>
    </DisabledReason>
  );
  const actionsOf = (version: LayerVersion): Action[] => [
    { label: 'View details', icon: FileText, onSelect: () => setShown(version) },
    {
      label: 'Delete',
      icon: Trash2,
      danger: true,
      disabledReason: refusal('deleteLayerVersion') ?? whyNotOwn(layer),
      confirmation: {
        title: `Delete version ${version.version} of ${layer.name}?`,
        consequence: 'No function can choose it any more. Functions that use it keep it.',
        confirmLabel: 'Delete version',
        onConfirm: () => remove.mutateAsync({ params: { path: { id: layer.id, version_id: version.id } } }),
      },
    },
  ];
  const columns = [
    column.accessor('version', {
      header: 'Version',
      enableSorting: true,
      cell: ({ row: { original }, getValue }) => (
        <button
          type="button"
          className="rounded-sm font-medium tabular-nums hover:underline"
          onClick={() => setShown(original)}
        >
          {getValue()}
        </button>
      ),
    }),
    statusColumn<LayerVersion>(),
    column.accessor(({ requirements }) => requirements?.join(', ') ?? 'Archive', {
      id: 'source',
      header: 'Source',
      cell: ({ getValue }) => <span className="wrap-anywhere text-xs">{getValue()}</span>,
    }),
    column.accessor('runtime', { header: 'Runtime', cell: ({ getValue }) => runtimeName(getValue()) }),
    column.accessor('size_bytes', {
      header: 'Size',
      cell: ({ getValue }) => {
        const size = getValue();
        return size === null ? '–' : <span className="tabular-nums">{formatBytes(size)}</span>;
      },
    }),
    column.accessor('id', {
      header: 'Version ID',
      meta: { from: 'xl' },
      cell: ({ getValue }) => <Id value={getValue()} label="version ID" />,
    }),
    createdColumn<LayerVersion>({ from: 'md' }),
  ];
  return (
    <>
      {layer.version_count > 0 && <div className="mb-4 flex justify-end">{publish}</div>}
      <ResourceTable
        of={{ icon: layers.icon, noun: 'version' }}
        list={listLayerVersions}
        parent={layer.id}
        columns={columns}
        searchable={false}
        rowName={({ version }) => `version ${version}`}
        actions={actionsOf}
        empty={
          layer.is_own
            ? 'A version is built from requirements, such as requests==2.32.3, or unpacked from an archive.'
            : 'Its owner has not published any yet.'
        }
        create={publish}
      />
      {publishing && <PublishDialog layer={layer} close={() => setPublishing(false)} />}
      {shown && <VersionSheet layer={layer} version={shown} close={() => setShown(undefined)} />}
    </>
  );
}
