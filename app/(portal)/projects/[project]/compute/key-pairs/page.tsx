'use client';

import { keyPairs } from '@/components/compute/domain';
import { useKeyPairActions } from '@/components/compute/key-pair-actions';
import { Id } from '@/components/kit/data/id';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { createdColumn, nameColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import type { Row } from '@/lib/client/list';
import { createKeyPair, listKeyPairs } from '@/lib/client/operations/compute';

type KeyPair = Row<'/api/v1/compute/keypairs'>;

const column = columnsOf<KeyPair>();
const columns = [
  nameColumn<KeyPair>(),
  column.accessor('type', { header: 'Type' }),
  column.accessor('fingerprint', {
    header: 'Fingerprint',
    meta: { from: 'md' },
    cell: ({ getValue }) => <Id value={getValue()} label="fingerprint" />,
  }),
  createdColumn<KeyPair>(),
];

/** SSH keys for signing in to new instances. */
export default function KeyPairsPage() {
  return (
    <ResourceList
      of={keyPairs}
      list={listKeyPairs}
      command={createKeyPair}
      about="SSH keys for signing in to new instances. Only public keys are stored."
      empty="Sign in to your instances over SSH without a password. Import a key or generate a new one."
      columns={columns}
      actions={useKeyPairActions()}
    />
  );
}
