'use client';

import Link from 'next/link';
import { useRouter, useSearchParams } from 'next/navigation';
import { useEffect } from 'react';
import { type DefaultValues, useWatch } from 'react-hook-form';
import { type Choices, suggestName, tooSmallFor, useInstanceChoices } from '@/components/compute/instance-choices';
import { type InstanceValues, instanceSchema } from '@/components/compute/instance-values';
import { SelectField, TextAreaField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Page } from '@/components/kit/page/page';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { Price } from '@/components/pricing/lazy-price';
import { createInstance } from '@/lib/client/operations/compute';
import { useProject } from '@/lib/client/project';
import { billedWhileRunning } from '@/lib/domains/compute/billed';
import { paths } from '@/lib/paths';

// Loaded after the page, which would be too heavy with them.
const QuotaImpact = lazyComponent(() =>
  import('@/components/compute/quota-impact').then((module) => module.QuotaImpact),
);

const FlavorOfInstance = lazyComponent(
  () => import('@/components/compute/instance-form-fields').then((module) => module.FlavorOfInstance),
  () => <Skeleton className="h-96 w-full" />,
);
const GroupsOfInstance = lazyComponent(() =>
  import('@/components/compute/instance-form-fields').then((module) => module.GroupsOfInstance),
);
const VolumesOfInstance = lazyComponent(() =>
  import('@/components/compute/instance-form-fields').then((module) => module.VolumesOfInstance),
);

/** Neither is the id of a key pair. */
const NO_KEY = 'none';
const PASTED_KEY = 'pasted';

/** Creates an instance; what it takes of the quota is seen before it is taken. */
export default function NewInstancePage() {
  const choices = useInstanceChoices();
  return (
    <Page title="Create instance">
      {choices.error ? (
        <ErrorNotice title="The choices could not be loaded" error={choices.error} onRetry={choices.retry} />
      ) : (
        // Mounted anew with its choices, so that it begins with the project's own network and group.
        <InstanceForm key={choices.data ? 'ready' : 'loading'} choices={choices.data} />
      )}
    </Page>
  );
}

function InstanceForm({ choices }: { choices: Choices | undefined }) {
  const { project, api } = useProject();
  const router = useRouter();
  const create = api.useMutation('post', '/api/v1/compute/instances');
  const asked = useSearchParams();
  const form = useSchemaForm<InstanceValues, InstanceValues>(instanceSchema, firstValues(choices, asked));
  const [imageId, flavorId, key] = useWatch({ control: form.control, name: ['image_id', 'flavor_id', 'key_pair_id'] });
  const image = choices?.images.find(({ id }) => id === imageId);
  const flavor = choices?.flavors.find(({ id }) => id === flavorId);
  const { setValue, getFieldState } = form;
  const suggestion = image && choices ? suggestName(image.name, choices.names) : undefined;
  useEffect(() => {
    // A name of the reader's own is left alone.
    if (suggestion !== undefined && !getFieldState('name').isDirty) setValue('name', suggestion);
  }, [suggestion, setValue, getFieldState]);
  return (
    <FormShell
      form={form}
      loading={choices === undefined}
      error={create.error}
      failure="The instance could not be created"
      submitLabel="Create instance"
      operation="createInstance"
      copy={{ operation: createInstance, schema: instanceSchema, body: bodyOf }}
      cancel={paths.instances(project.slug)}
      aside={
        <>
          <Price
            claims={flavor ? billedWhileRunning(flavor) : []}
            missing="Choose a flavor to see the price."
            billed="Billing starts when the instance is active. While it is stopped, only the boot disk is billed."
          />
          <QuotaImpact flavor={flavor} />
        </>
      }
      onSubmit={async (values) => {
        const { id } = await create.mutateAsync({ body: bodyOf(values) });
        router.push(paths.instance(project.slug, id));
      }}
    >
      <TextField
        control={form.control}
        name="name"
        label="Name"
        description="Also sets the guest’s host name."
        autoComplete="off"
        placeholder="web-1"
        autoFocus
      />
      <SelectField
        control={form.control}
        name="image_id"
        label="Image"
        description={
          image && image.status !== 'active'
            ? 'Not downloaded yet. The instance waits while the image is fetched or built.'
            : undefined
        }
        options={(choices?.images ?? []).map(({ id, name, visibility, description, min_disk_gb, min_ram_mb }) => ({
          value: id,
          label: visibility === 'public' ? `${name} · certified` : name,
          description: description || `Needs ${min_disk_gb} GB disk and ${min_ram_mb} MB memory`,
        }))}
      />
      <FlavorOfInstance
        control={form.control}
        flavors={choices?.flavors ?? []}
        whyNot={(candidate) => image && tooSmallFor(image, candidate)}
      />
      <SelectField
        control={form.control}
        name="network_id"
        label="Network"
        options={(choices?.networks ?? []).map(({ id, name, cidr }) => ({ value: id, label: name, description: cidr }))}
      />
      <GroupsOfInstance control={form.control} groups={choices?.groups ?? []} />
      <SelectField
        control={form.control}
        name="key_pair_id"
        label="SSH key"
        description={
          <>
            {image?.default_user ? `Allows sign-in as ${image.default_user}. ` : ''}
            {choices?.keyPairs.length === 0 && (
              <>
                No key pairs yet:{' '}
                <Link href={paths.newKeyPair(project.slug)} className="text-accent underline underline-offset-2">
                  add a key pair
                </Link>
                , or paste a public key.
              </>
            )}
          </>
        }
        options={[
          { value: NO_KEY, label: 'None', description: 'Sign in through the console' },
          ...(choices?.keyPairs ?? []).map(({ id, name, fingerprint }) => ({
            value: id,
            label: name,
            description: fingerprint,
          })),
          { value: PASTED_KEY, label: 'Paste a public key' },
        ]}
      />
      {key === PASTED_KEY && (
        <TextAreaField
          control={form.control}
          name="ssh_public_key"
          label="Public key"
          description="One line, for example from ~/.ssh/id_ed25519.pub"
          placeholder="ssh-ed25519 AAAA…"
          mono
          rows={3}
        />
      )}
      <VolumesOfInstance control={form.control} volumes={choices?.volumes ?? []} />
      <TextAreaField
        control={form.control}
        name="user_data"
        label="User data"
        description="For cloud-init: a script starting with #!, or #cloud-config. Readable by everything in the guest, so do not put passwords here."
        optional
        mono
        rows={5}
      />
    </FormShell>
  );
}

function bodyOf({ key_pair_id, ssh_public_key, user_data, ...values }: InstanceValues) {
  return {
    ...values,
    ...(key_pair_id === PASTED_KEY ? { ssh_public_key } : {}),
    ...(key_pair_id === PASTED_KEY || key_pair_id === NO_KEY ? {} : { key_pair_id }),
    ...(user_data === '' ? {} : { user_data }),
  };
}

function firstValues(choices: Choices | undefined, asked: URLSearchParams): DefaultValues<InstanceValues> {
  const { networks = [], groups = [], images = [], flavors = [] } = choices ?? {};
  const askedFor = <Row extends { id: string }>(rows: readonly Row[], name: string) =>
    rows.find(({ id }) => id === asked.get(name));
  // What boots at once, in the smallest size that holds it: a newcomer can begin with that.
  const image = askedFor(images, 'image_id') ?? images.find(({ status }) => status === 'active');
  const flavor = askedFor(flavors, 'flavor_id') ?? flavors.find((candidate) => image && !tooSmallFor(image, candidate));
  const network = networks.find(({ is_default }) => is_default) ?? networks[0];
  return {
    name: '',
    image_id: image?.id ?? '',
    flavor_id: flavor?.id ?? '',
    network_id: network?.id ?? '',
    security_group_ids: groups.filter(({ is_default }) => is_default).map(({ id }) => id),
    key_pair_id: NO_KEY,
    ssh_public_key: '',
    user_data: '',
    volume_ids: [],
  };
}
