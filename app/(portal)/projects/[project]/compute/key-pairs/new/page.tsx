'use client';

import { useRouter } from 'next/navigation';
import * as z from 'zod/mini';
import { NewKeyPair } from '@/components/compute/new-key-pair';
import { CardsField, TextAreaField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Page } from '@/components/kit/page/page';
import { text } from '@/lib/client/constraints';
import { createKeyPair } from '@/lib/client/operations/compute';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const schema = z.object({
  name: text(createKeyPair.fields.name, 'Enter a name.'),
  origin: z.enum(['import', 'generate']),
  public_key: z.string().check(z.trim()),
});

const origins = [
  { value: 'import', label: 'Import', description: 'Use an existing key.' },
  { value: 'generate', label: 'Generate', description: 'A new Ed25519 key pair. The private key is shown once.' },
];

function bodyOf({ name, origin, public_key }: z.output<typeof schema>) {
  return origin === 'import' ? { name, public_key } : { name };
}

/** Imports a public key, or generates a pair and shows its private half this once. */
export default function NewKeyPairPage() {
  const { project, api } = useProject();
  const router = useRouter();
  // A private key is kept by nothing but this page.
  const create = api.useMutation('post', '/api/v1/compute/keypairs', { gcTime: 0 });
  const form = useSchemaForm(schema, { name: '', origin: 'import', public_key: '' });
  const origin = form.watch('origin');
  const list = paths.keyPairs(project.slug);
  return (
    <Page title="Add key pair" narrow>
      {create.data?.private_key !== undefined ? (
        <NewKeyPair name={create.data.name} privateKey={create.data.private_key} back={list} />
      ) : (
        <FormShell
          form={form}
          loading={false}
          error={create.error}
          failure="The key pair could not be added"
          submitLabel="Add key pair"
          operation="createKeyPair"
          copy={{ operation: createKeyPair, schema, body: bodyOf }}
          cancel={list}
          onSubmit={async (values) => {
            await create.mutateAsync({ body: bodyOf(values) });
            if (values.origin === 'import') router.push(list);
          }}
        >
          <TextField
            control={form.control}
            name="name"
            label="Name"
            placeholder="laptop"
            autoComplete="off"
            autoFocus
          />
          <CardsField control={form.control} name="origin" label="Key" options={origins} />
          {origin === 'import' && (
            <TextAreaField
              control={form.control}
              name="public_key"
              label="Public key"
              description="One line, for example from ~/.ssh/id_ed25519.pub"
              placeholder="ssh-ed25519 AAAA…"
              mono
              rows={4}
            />
          )}
        </FormShell>
      )}
    </Page>
  );
}
