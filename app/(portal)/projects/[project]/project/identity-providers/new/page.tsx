'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { ConditionsField } from '@/components/iam/conditions-field';
import { issuers } from '@/components/iam/issuers';
import { emptyProvider, providerOf, providerSchema } from '@/components/iam/provider-form';
import { CardsField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Page } from '@/components/kit/page/page';
import { roleOptions } from '@/components/members/roles';
import { createIdentityProvider } from '@/lib/client/operations/iam';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

/** Trusts an issuer of workload identity tokens, for the workloads that the conditions name. */
export default function NewIdentityProviderPage() {
  const { project, api } = useProject();
  const router = useRouter();
  const create = api.useMutation('post', '/api/v1/iam/providers');
  const form = useSchemaForm(providerSchema, emptyProvider);
  const { setValue, control } = form;
  const kind = form.watch('kind');

  // The server does not know under which address the browser sees it.
  useEffect(() => setValue('audience', window.location.origin), [setValue]);
  useEffect(() => {
    const chosen = issuers.find(({ value }) => value === kind);
    if (!chosen) return;
    setValue('issuer', chosen.issuer);
    setValue('conditions', [{ claim: chosen.claim, pattern: chosen.pattern }]);
  }, [kind, setValue]);

  return (
    <Page title="Add identity provider">
      <FormShell
        form={form}
        loading={false}
        error={create.error}
        failure="The identity provider could not be added"
        submitLabel="Add identity provider"
        operation="createIdentityProvider"
        copy={{ operation: createIdentityProvider, schema: providerSchema, body: providerOf }}
        cancel={paths.identityProviders(project.slug)}
        onSubmit={async (values) => {
          const provider = await create.mutateAsync({ body: providerOf(values) });
          router.push(paths.identityProviders(project.slug, { exchange: provider.id }));
        }}
      >
        <CardsField control={control} name="kind" label="Platform of the workload" options={issuers} />
        <TextField control={control} name="name" label="Name" autoComplete="off" autoFocus />
        <TextField
          control={control}
          name="issuer"
          label="Issuer URL"
          type="url"
          description="Must equal the iss claim of its tokens exactly. An https URL."
          mono
        />
        <TextField
          control={control}
          name="audience"
          label="Audience"
          description="The aud claim of tokens for this platform. Tokens for other audiences are refused."
          mono
        />
        <ConditionsField control={control} />
        <CardsField
          control={control}
          name="max_role"
          label="Maximum role"
          description="The highest role a workload can request. Choose the least privileged one that works."
          options={roleOptions}
        />
        <TextField
          control={control}
          name="jwks_uri"
          label="JWKS URL"
          type="url"
          description="Where the issuer publishes its keys. Leave empty to use OpenID Connect discovery."
          optional
          mono
        />
      </FormShell>
    </Page>
  );
}
