'use client';

import { SelectField, TextAreaField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Page } from '@/components/kit/page/page';
import { ButtonLink } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { clientOf, clientSchema, emptyClient } from '@/components/sso/client-form';
import { ClientSettings } from '@/components/sso/client-settings';
import { createSsoClient } from '@/lib/client/operations/workspace';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const authMethods = [
  { value: 'client_secret_basic', label: 'Authorization header', description: 'The default of most applications' },
  { value: 'client_secret_post', label: 'Request body' },
];

/** Registers an application, and shows its secret once. */
export default function NewSsoClientPage() {
  const { project, api } = useProject();
  const create = api.useMutation('post', '/api/v1/workspace/sso/clients');
  const form = useSchemaForm(clientSchema, emptyClient);
  const { control } = form;
  const list = paths.ssoClients(project.slug);
  return (
    <Page title="Add application" narrow>
      {create.data ? (
        <Card title={`${create.data.name} added`} description="Enter these settings in the application.">
          <div className="space-y-5">
            <ClientSettings client={create.data} />
            <ButtonLink href={list} variant="primary">
              Done
            </ButtonLink>
          </div>
        </Card>
      ) : (
        <FormShell
          form={form}
          loading={false}
          error={create.error}
          failure="The application could not be added"
          submitLabel="Add application"
          operation="createSsoClient"
          copy={{ operation: createSsoClient, schema: clientSchema, body: clientOf }}
          cancel={list}
          onSubmit={(values) => create.mutateAsync({ body: clientOf(values) })}
        >
          <TextField control={control} name="name" label="Name" autoComplete="off" autoFocus />
          <TextAreaField
            control={control}
            name="redirect_uris"
            label="Redirect URLs"
            description="Where users return to after sign-in, one https URL per line. Compared exactly."
            placeholder="https://grafana.example.com/login/generic_oauth"
            mono
          />
          <TextAreaField
            control={control}
            name="post_logout_redirect_uris"
            label="Sign-out redirect URLs"
            description="Where users may return to after sign-out, one per line."
            optional
            mono
          />
          <SelectField
            control={control}
            name="token_endpoint_auth_method"
            label="Client authentication"
            description="Where the application sends its secret."
            options={authMethods}
          />
        </FormShell>
      )}
    </Page>
  );
}
