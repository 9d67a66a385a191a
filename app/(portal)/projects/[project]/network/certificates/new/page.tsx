'use client';

import { useRouter } from 'next/navigation';
import * as z from 'zod/mini';
import {
  certificateProblem,
  domainsOf,
  domainsProblem,
  keyProblem,
  sortPem,
} from '@/components/certificates/pem-files';
import { CardsField, TextAreaField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Page } from '@/components/kit/page/page';
import { notify } from '@/components/kit/ui/notify';
import { DropZone } from '@/components/kit/upload/drop-zone';
import { text } from '@/lib/client/constraints';
import { createCertificate } from '@/lib/client/operations/gateway';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const schema = z
  .object({
    name: text(createCertificate.fields.name, 'Enter a name.'),
    issuer: z.enum(['upload', 'acme']),
    certificate_pem: z.string(),
    private_key_pem: z.string(),
    domains: z.string(),
  })
  .check(({ value, issues }) => {
    const problems =
      value.issuer === 'acme'
        ? { domains: domainsProblem(value.domains) }
        : {
            certificate_pem: certificateProblem(value.certificate_pem),
            private_key_pem: keyProblem(value.private_key_pem),
          };
    for (const [field, message] of Object.entries(problems)) {
      if (message) issues.push({ code: 'custom', message, path: [field], input: value });
    }
  });

const kinds = [
  { value: 'upload', label: 'Upload', description: 'A certificate that you have, with its private key' },
  { value: 'acme', label: 'Order', description: 'From a certificate authority; renews itself' },
];

function bodyOf({ name, issuer, certificate_pem, private_key_pem, domains }: z.output<typeof schema>) {
  return issuer === 'acme' ? { name, issuer, domains: domainsOf(domains) } : { name, certificate_pem, private_key_pem };
}

/** Uploads a certificate, or orders one. */
export default function NewCertificatePage() {
  const { project, api } = useProject();
  const router = useRouter();
  const create = api.useMutation('post', '/api/v1/gateway/certificates');
  const form = useSchemaForm(schema, {
    name: '',
    issuer: 'upload',
    certificate_pem: '',
    private_key_pem: '',
    domains: '',
  });
  const isOrder = form.watch('issuer') === 'acme';
  const readFiles = async (files: readonly { file: File }[]) => {
    const sorted = sortPem(await Promise.all(files.map(({ file }) => file.text())));
    for (const field of ['certificate_pem', 'private_key_pem'] as const) {
      if (sorted[field]) form.setValue(field, sorted[field], { shouldDirty: true, shouldValidate: true });
    }
    if (!sorted.certificate_pem && !sorted.private_key_pem)
      form.setError('certificate_pem', { message: 'These files have no certificate and no key in PEM.' });
  };
  return (
    <Page title="Add certificate">
      <FormShell
        form={form}
        loading={false}
        error={create.error}
        failure="The certificate could not be added"
        submitLabel={isOrder ? 'Order certificate' : 'Upload certificate'}
        operation="createCertificate"
        copy={{ operation: createCertificate, schema, body: bodyOf }}
        cancel={paths.certificates(project.slug)}
        onSubmit={async (values) => {
          const { id } = await create.mutateAsync({ body: bodyOf(values) });
          void notify('success', isOrder ? `${values.name} ordered` : `${values.name} uploaded`);
          router.push(paths.certificate(project.slug, id));
        }}
      >
        <TextField control={form.control} name="name" label="Name" autoComplete="off" autoFocus />
        <CardsField control={form.control} name="issuer" label="Source" options={kinds} />
        {isOrder ? (
          <TextAreaField
            control={form.control}
            name="domains"
            label="Host names"
            description="One per line, below the project’s own domain. The authority reads a file from each over http."
            mono
            rows={3}
          />
        ) : (
          <>
            <DropZone
              label="PEM files"
              invitation="Drop the PEM files here, or choose them"
              hint="Certificate, chain and key, in one file or several"
              onFiles={(files) => void readFiles(files)}
            />
            <TextAreaField
              control={form.control}
              name="certificate_pem"
              label="Certificate and chain"
              description="The server’s certificate first; each further one issued the one before it."
              mono
              rows={8}
            />
            <TextAreaField
              control={form.control}
              name="private_key_pem"
              label="Private key"
              description="Not encrypted: RSA from 2048 bits, or EC on P-256, P-384 or P-521."
              mono
              rows={6}
            />
          </>
        )}
      </FormShell>
    </Page>
  );
}
