'use client';

import { Trash2 } from 'lucide-react';
import { Time } from '@/components/kit/data/time';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { createdColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import type { Action } from '@/components/kit/table/row-actions';
import { accessKeys } from '@/components/objects/domain';
import type { AccessKey } from '@/components/objects/types';
import { useRefusal } from '@/lib/client/may';
import { createStorageCredential, listStorageCredentials } from '@/lib/client/operations/storage';
import { useProject } from '@/lib/client/project';

const column = columnsOf<AccessKey>();
const columns = [
  column.accessor('access_key', {
    header: 'Access key',
    cell: ({ row: { original } }) => (
      <span>
        <span className="block font-mono text-xs">{original.access_key}</span>
        {original.description !== '' && (
          <span className="text-ink-muted text-xs wrap-anywhere">{original.description}</span>
        )}
      </span>
    ),
  }),
  column.accessor('access', {
    header: 'Access',
    cell: ({ row: { original } }) => (
      <span className="text-sm wrap-anywhere">
        {original.access === 'read' ? 'Read' : 'Read and write'}
        {original.bucket !== null && <span className="block text-ink-muted text-xs">Only {original.bucket}</span>}
      </span>
    ),
  }),
  column.accessor('created_by', {
    header: 'Belongs to',
    meta: { from: 'md' },
    cell: ({ row: { original } }) => (original.owner === 'project' ? 'The project' : original.created_by),
  }),
  column.accessor('expires_at', {
    header: 'Expires',
    meta: { from: 'md' },
    cell: ({ getValue }) => <Time at={getValue()} none="never" />,
  }),
  column.accessor('last_used_at', {
    header: 'Last used',
    cell: ({ getValue }) => <Time at={getValue()} none="never" />,
  }),
  createdColumn<AccessKey>({ from: 'lg' }),
];

/** Access keys for S3 clients. */
export default function AccessKeysPage() {
  const { api } = useProject();
  const refusal = useRefusal();
  const remove = api.useMutation('delete', '/api/v1/storage/credentials/{id}');
  const actionsOf = ({ id, access_key }: AccessKey): Action[] => [
    {
      label: 'Delete',
      icon: Trash2,
      danger: true,
      disabledReason: refusal('deleteStorageCredential'),
      confirmation: {
        title: `Delete ${access_key}?`,
        consequence: 'Clients and presigned addresses that use the key fail from now on.',
        confirmLabel: 'Delete access key',
        typeToConfirm: access_key,
        onConfirm: () => remove.mutateAsync({ params: { path: { id } } }),
      },
    },
  ];
  return (
    <ResourceList
      of={accessKeys}
      list={listStorageCredentials}
      command={createStorageCredential}
      about="Credentials for S3 clients. A key of yours may do at most what your role allows, and ends with your membership."
      empty="The AWS SDK, rclone, boto3 and other S3 clients authenticate with an access key and its secret."
      columns={columns}
      actions={actionsOf}
    />
  );
}
