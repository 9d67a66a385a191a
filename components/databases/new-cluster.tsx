'use client';

import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { safeParse } from 'zod/v4/core';
import { CopyAs } from '@/components/kit/copy/copy-as';
import { PropertyList } from '@/components/kit/data/property-list';
import { callOf, useSchemaForm } from '@/components/kit/form/form-shell';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { useUnsaved } from '@/components/kit/page/unsaved';
import { Card } from '@/components/kit/ui/card';
import { Wizard } from '@/components/kit/wizard/wizard';
import { QuotedPrice } from '@/components/pricing/quoted-price';
import { useMay } from '@/lib/client/may';
import { formatCount } from '@/lib/format/quantity';
import { formatGigabytes } from '@/lib/format/size';
import { EngineStep, NetworkStep, type NewClusterChoices, SizeStep, VersionStep } from './cluster-steps';
import {
  type ClusterValues,
  clusterSchema,
  createBody,
  firstValues,
  type Step,
  stepOfField,
  steps,
} from './cluster-values';
import { createOperations, useCreateCluster } from './create-cluster';
import { CreatedCluster } from './created-cluster';
import { EngineName } from './engine-mark';
import { sizeOfKey } from './sizes';

const labels: Record<Step, string> = {
  engine: 'Engine',
  version: 'Version',
  size: 'Size',
  network: 'Network',
  review: 'Review',
};

/** The wizard of a new cluster; then its credentials, shown once. */
export function NewCluster({ choices }: { choices: NewClusterChoices }) {
  const may = useMay('createPostgresCluster');
  const create = useCreateCluster();
  const [error, setError] = useState<unknown>();
  const first = choices.networks.find(({ is_default }) => is_default) ?? choices.networks[0];
  const form = useSchemaForm<ClusterValues, ClusterValues>(
    clusterSchema,
    firstValues(choices.versions, first?.id ?? ''),
  );
  // A copy: the form changes its values in place, and an equal value is not rendered again.
  const values = useWatch({ control: form.control, compute: (all: ClusterValues) => structuredClone(all) });
  const { isDirty, isSubmitting } = form.formState;
  useUnsaved(() => isDirty && !isSubmitting && create.data === undefined);
  if (create.data) return <CreatedCluster created={create.data} />;

  const submit = form.handleSubmit(async (checked) => {
    setError(undefined);
    await create.mutateAsync({ engine: checked.engine, body: createBody(checked) }).catch(setError);
  });
  const { network_id } = values;
  const network = choices.networks.find(({ id }) => id === network_id);
  const missing = missingIn(values);
  const wizardSteps = steps.map((name) => ({
    name,
    label: labels[name],
    missing: missing.get(name) ?? (name === 'review' ? may.reason : undefined),
  }));
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-10 gap-y-5 xl:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="min-w-0">
        <Wizard
          label="Database cluster steps"
          steps={wizardSteps}
          finishLabel="Create cluster"
          onFinish={() => void submit()}
          pending={isSubmitting}
        >
          {(step) => {
            switch (step) {
              case 'engine':
                return <EngineStep form={form} choices={choices} />;
              case 'version':
                return <VersionStep form={form} choices={choices} />;
              case 'size':
                return <SizeStep form={form} />;
              case 'network':
                return <NetworkStep form={form} choices={choices} />;
              default:
                return (
                  <div className="space-y-5">
                    <Summary values={values} network={network?.name} />
                    {error !== undefined && <ErrorNotice title="The cluster could not be created" error={error} />}
                    <CopyAs
                      call={() =>
                        callOf(form, {
                          operation: createOperations[values.engine],
                          schema: clusterSchema,
                          body: createBody,
                        })
                      }
                    />
                  </div>
                );
            }
          }}
        </Wizard>
      </div>
      <aside className="min-w-0 space-y-4 xl:sticky xl:top-20">
        <QuotedPrice
          call={quotedCall(values)}
          missing="Choose an engine and a size to see the price."
          billed="Billed by the second while members run. Traffic to the internet is billed as it happens."
        />
      </aside>
    </div>
  );
}

/** The request that is priced: a form without a name has a price already. */
function quotedCall(values: ClusterValues) {
  const named = { ...values, name: values.name === '' ? 'new-cluster' : values.name };
  const checked = safeParse(clusterSchema, named);
  if (!checked.success) return undefined;
  return { method: 'POST', path: `/dbaas/${values.engine}`, body: createBody(checked.data) } as const;
}

function Summary({ values, network }: { values: ClusterValues; network: string | undefined }) {
  const { engine, version, name, namespace, instances, size, storage_gb, access, security_group_ids } = values;
  const { vcpus, ram_gb } = sizeOfKey(size);
  return (
    <Card title={name}>
      <PropertyList
        items={[
          ['Engine', <EngineName key="engine" engine={engine} version={version} />],
          ['Namespace', namespace],
          ['Members', formatCount(Number(instances), 'member')],
          [
            'Each member',
            `${vcpus} vCPU, ${formatGigabytes(ram_gb)} memory, ${formatGigabytes(Number(storage_gb))} storage`,
          ],
          ['Network', network ?? '–'],
          ['Access', access === 'network' ? 'Its network' : formatCount(security_group_ids.length, 'security group')],
          ['Backups', 'Every day, kept for 7 days'],
        ]}
      />
    </Card>
  );
}

/** The first problem of each step, which keeps the next one closed. */
function missingIn(values: ClusterValues): Map<Step, string> {
  const checked = safeParse(clusterSchema, values);
  const missing = new Map<Step, string>();
  for (const { path, message } of checked.error?.issues ?? []) {
    const step = stepOfField(path);
    if (!missing.has(step)) missing.set(step, message);
  }
  return missing;
}
