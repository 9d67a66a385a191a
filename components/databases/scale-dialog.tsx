'use client';

import { useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { SelectField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Dialog } from '@/components/kit/ui/dialog';
import { QuotedPrice } from '@/components/pricing/quoted-price';
import { wholeNumber } from '@/lib/client/constraints';
import { changeDatabaseCluster } from '@/lib/client/operations/dbaas';
import { useProject } from '@/lib/client/project';
import { memberOptions } from './member-options';
import { sizeKey, sizeOfKey, sizeOptions } from './sizes';
import { type Cluster, pathOf } from './types';

interface Values {
  instances: string;
  size: string;
  storage_gb: string;
}

/** Changes the number and the size of the members. Storage only grows. */
export function ScaleDialog({ cluster, close }: { cluster: Cluster; close: () => void }) {
  const { api } = useProject();
  const change = api.useMutation('patch', '/api/v1/dbaas/clusters/{engine}/{ns}/{name}');
  const { engine, namespace, name, instances, vcpus, ram_gb, storage_gb } = cluster;
  const { maximum } = changeDatabaseCluster.fields.storage_gb;
  const schema = z.object({
    instances: z.string(),
    size: z.string(),
    storage_gb: wholeNumber({ minimum: storage_gb, maximum }, 'GB'),
  });
  const form = useSchemaForm<Values, Values>(schema, {
    instances: String(instances),
    size: sizeKey(vcpus, ram_gb),
    storage_gb: String(storage_gb),
  });
  const values = useWatch({ control: form.control, compute: (all: Values) => ({ ...all }) });
  const body = changesOf(cluster, values);
  const valid = schema.safeParse(values).success;
  const nothing = Object.keys(body).length === 0 ? 'Change a value first.' : undefined;
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      title={`Scale ${name}`}
      description="Members are changed one after the other; the others serve meanwhile."
    >
      <FormShell
        form={form}
        loading={false}
        error={change.error}
        failure="The cluster could not be scaled"
        submitLabel="Scale cluster"
        operation="changeDatabaseCluster"
        disabledReason={nothing}
        cancel={close}
        onSubmit={async (checked) => {
          await change.mutateAsync({ params: { path: pathOf(cluster) }, body: changesOf(cluster, checked) });
          close();
        }}
      >
        <SelectField control={form.control} name="instances" label="Members" options={memberOptions(engine)} />
        <SelectField
          control={form.control}
          name="size"
          label="Size of each member"
          options={sizeOptions({ vcpus, ram_gb })}
        />
        <TextField
          control={form.control}
          name="storage_gb"
          label="Storage of each member"
          description="Can be enlarged, never shrunk."
          inputMode="numeric"
          unit="GB"
          width="short"
        />
        <QuotedPrice
          plain
          call={
            valid && nothing === undefined
              ? { method: 'PATCH', path: `/dbaas/clusters/${engine}/${namespace}/${name}`, body }
              : undefined
          }
          missing="Change a value to see the price."
          billed="The price of the whole cluster after the change."
        />
      </FormShell>
    </Dialog>
  );
}

/** Only what differs: an unchanged size is not sent. */
function changesOf(cluster: Cluster, values: Values) {
  const size = sizeOfKey(values.size);
  const sized = size.vcpus !== cluster.vcpus || size.ram_gb !== cluster.ram_gb;
  return {
    ...(Number(values.instances) !== cluster.instances && { instances: Number(values.instances) }),
    ...(sized && size),
    ...(Number(values.storage_gb) !== cluster.storage_gb && { storage_gb: Number(values.storage_gb) }),
  };
}
