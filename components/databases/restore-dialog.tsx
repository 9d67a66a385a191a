'use client';

import { useWatch } from 'react-hook-form';
import { safeParse } from 'zod/v4/core';
import { SelectField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { ButtonLink } from '@/components/kit/ui/button';
import { Dialog } from '@/components/kit/ui/dialog';
import { QuotedPrice } from '@/components/pricing/quoted-price';
import { useProject } from '@/lib/client/project';
import { clusterKey } from '@/lib/domains/databases/paths';
import { formatMoment, formatWindow } from '@/lib/format/time';
import { paths } from '@/lib/paths';
import { momentOf } from './backup-look';
import { useCreateCluster } from './create-cluster';
import { memberOptions } from './member-options';
import { NewCredentials } from './new-credentials';
import {
  localSeconds,
  originOf,
  type RestoreSource,
  type RestoreValues,
  restoreBody,
  restoreSchema,
  restoreValues,
} from './restore-values';
import { sizeOfKey, sizeOptions } from './sizes';

interface RestoreDialogProps {
  source: RestoreSource;
  close: () => void;
}

/** Restores to a new cluster; the old one is not touched. Then shows the new credentials, once. */
export function RestoreDialog({ source, close }: RestoreDialogProps) {
  const { project } = useProject();
  const create = useCreateCluster();
  const { name } = originOf(source);
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      title={create.data ? `${create.data.name} is being restored` : `Restore ${name}`}
      description={create.data ? undefined : `To a new cluster, billed as one. ${name} stays as it is.`}
    >
      {create.data ? (
        <div className="space-y-5">
          <NewCredentials credentials={create.data.credentials} />
          <ButtonLink variant="primary" href={paths.database(project.slug, clusterKey(create.data))}>
            View {create.data.name}
          </ButtonLink>
        </div>
      ) : (
        <RestoreForm source={source} create={create} close={close} />
      )}
    </Dialog>
  );
}

function RestoreForm({ source, create, close }: RestoreDialogProps & { create: ReturnType<typeof useCreateCluster> }) {
  const { engine } = originOf(source);
  const schema = restoreSchema(source);
  const form = useSchemaForm<RestoreValues, RestoreValues>(schema, restoreValues(source));
  const values = useWatch({ control: form.control, compute: (all: RestoreValues) => ({ ...all }) });
  const valid = safeParse(schema, values).success;
  return (
    <FormShell
      form={form}
      loading={false}
      error={create.error}
      failure="The cluster could not be restored"
      submitLabel="Restore to new cluster"
      operation="createPostgresCluster"
      cancel={close}
      onSubmit={(checked) => create.mutateAsync({ engine, body: restoreBody(source, checked) })}
    >
      {'backup' in source ? (
        <p className="text-sm">
          With the data of <span className="font-medium">{formatMoment(momentOf(source.backup))}</span>.
        </p>
      ) : (
        <MomentField source={source} control={form.control} />
      )}
      <TextField control={form.control} name="name" label="Name of the new cluster" autoComplete="off" />
      <SelectField control={form.control} name="instances" label="Members" options={memberOptions(engine)} />
      <SelectField
        control={form.control}
        name="size"
        label="Size of each member"
        options={sizeOptions(sizeOfKey(restoreValues(source).size))}
      />
      <TextField
        control={form.control}
        name="storage_gb"
        label="Storage of each member"
        description={`At least ${originOf(source).storage_gb} GB, to hold the data.`}
        inputMode="numeric"
        unit="GB"
        width="short"
      />
      <QuotedPrice
        plain
        call={valid ? { method: 'POST', path: `/dbaas/${engine}`, body: restoreBody(source, values) } : undefined}
        missing="Complete the fields to see the price."
        billed="Billed from when its members run."
      />
    </FormShell>
  );
}

interface MomentFieldProps {
  source: Extract<RestoreSource, { cluster: unknown }>;
  control: ReturnType<typeof useSchemaForm<RestoreValues, RestoreValues>>['control'];
}

function MomentField({ source: { cluster }, control }: MomentFieldProps) {
  const window = cluster.restore_window;
  if (!window) return null;
  return (
    <TextField
      control={control}
      name="at"
      label="Moment"
      description={`In your time zone, to the second: ${formatWindow(window.from, window.until)}.`}
      type="datetime-local"
      step={1}
      min={localSeconds(new Date(window.from))}
      max={localSeconds(new Date(window.until))}
    />
  );
}
