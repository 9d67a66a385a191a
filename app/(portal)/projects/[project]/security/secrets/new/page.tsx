'use client';

import { useRouter } from 'next/navigation';
import * as z from 'zod/mini';
import { CardsField, SelectField, TextAreaField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Page } from '@/components/kit/page/page';
import { notify } from '@/components/kit/ui/notify';
import { secretTypeOptions } from '@/components/secrets/types';
import { exactText, text } from '@/lib/client/constraints';
import { createSecret } from '@/lib/client/operations/vault';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const { fields } = createSecret;
const schema = z.object({
  name: text(fields.name, 'Enter a name.'),
  type: z.enum(fields.type.enum),
  payload: exactText(fields.payload, 'Enter a value.'),
  payload_encoding: z.enum(fields.payload_encoding.enum),
  expires_at: z.string(),
});

const encodings = [
  { value: 'utf8', label: 'Text', description: 'Plain text' },
  { value: 'base64', label: 'Base64', description: 'Binary, base64-encoded' },
];

function bodyOf({ expires_at, payload_encoding, ...values }: z.output<typeof schema>) {
  return {
    ...values,
    payload_encoding: encodingOf(values.type, payload_encoding),
    ...(expires_at === '' ? {} : { expires_at: new Date(expires_at).toISOString() }),
  };
}

/** Stores a secret. What the value must look like follows from its type. */
export default function NewSecretPage() {
  const { project, api } = useProject();
  const router = useRouter();
  const create = api.useMutation('post', '/api/v1/vault/secrets');
  const form = useSchemaForm(schema, {
    name: '',
    type: 'passphrase',
    payload: '',
    payload_encoding: 'utf8',
    expires_at: '',
  });
  const type = form.watch('type');
  const list = paths.secrets(project.slug);
  return (
    <Page title="Create secret">
      <FormShell
        form={form}
        loading={false}
        error={create.error}
        failure="The secret could not be created"
        submitLabel="Create secret"
        operation="createSecret"
        copy={{ operation: createSecret, schema, body: bodyOf }}
        cancel={list}
        onSubmit={async (values) => {
          await create.mutateAsync({ body: bodyOf(values) });
          void notify('success', `${values.name} created`);
          router.push(list);
        }}
      >
        <TextField control={form.control} name="name" label="Name" autoComplete="off" autoFocus />
        <CardsField control={form.control} name="type" label="Type" options={secretTypeOptions} />
        <TextAreaField
          control={form.control}
          name="payload"
          label="Value"
          description={valueHint[type]}
          mono
          rows={type === 'certificate' ? 8 : 3}
        />
        {type === 'opaque' && (
          <SelectField control={form.control} name="payload_encoding" label="Encoding" options={encodings} />
        )}
        <TextField
          control={form.control}
          name="expires_at"
          label="Expires"
          type="datetime-local"
          description={
            type === 'certificate' ? 'The certificate’s own expiry applies if it is earlier.' : 'In your time zone.'
          }
          optional
          width="short"
        />
      </FormShell>
    </Page>
  );
}

const valueHint: Record<string, string> = {
  passphrase: 'Text. Spaces and line breaks are kept.',
  symmetric_key: '16, 24, 32, 48 or 64 bytes in base64. To generate one: openssl rand -base64 32',
  certificate: 'PEM, starting with -----BEGIN CERTIFICATE-----',
  opaque: 'Up to 64 KiB.',
};

/** Keys are bytes and can only be written in base64; passphrases and PEM are text. */
function encodingOf(type: string, chosen: 'utf8' | 'base64'): 'utf8' | 'base64' {
  if (type === 'symmetric_key') return 'base64';
  return type === 'opaque' ? chosen : 'utf8';
}
