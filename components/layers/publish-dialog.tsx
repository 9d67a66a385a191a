'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import * as z from 'zod/mini';
import { CardsField, TextAreaField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Dialog } from '@/components/kit/ui/dialog';
import { notify } from '@/components/kit/ui/notify';
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/components/kit/ui/tabs';
import { ArchiveField, archiveFile } from '@/components/kit/upload/archive-field';
import { useProject } from '@/lib/client/project';
import { ARCHIVE_BYTES } from '@/lib/domains/layers/limits';
import { builtRuntimes, type Layer, type LayerVersion } from './types';

interface PublishDialogProps {
  layer: Layer;
  close: () => void;
}

/** Publishes a version of a layer: from requirements, or from an archive. */
export function PublishDialog({ layer, close }: PublishDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      title={`Publish a version of ${layer.name}`}
      description="A version never changes. The same content gives the same version."
    >
      <Tabs defaultValue="requirements">
        <TabsList aria-label="Source">
          <TabsTrigger value="requirements">Requirements</TabsTrigger>
          <TabsTrigger value="archive">Archive</TabsTrigger>
        </TabsList>
        <TabsContent value="requirements">
          <RequirementsForm layer={layer} close={close} />
        </TabsContent>
        <TabsContent value="archive">
          <ArchiveForm layer={layer} close={close} />
        </TabsContent>
      </Tabs>
    </Dialog>
  );
}

const exampleOf = (runtime: string) => (runtime.startsWith('python') ? 'requests==2.32.3' : 'lodash@4.17.21');

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.replace(/#.*$/, '').trim())
    .filter((line) => line !== '');

const requirementsSchema = z.object({
  runtime: z.enum(['python3.11', 'nodejs24', 'nodejs20']),
  requirements: z.string().check(z.refine((text) => linesOf(text).length > 0, 'Enter at least one package.')),
});

function RequirementsForm({ layer, close }: PublishDialogProps) {
  const publish = usePublish(layer, close);
  const form = useSchemaForm(requirementsSchema, { runtime: 'python3.11', requirements: '' });
  const runtime = form.watch('runtime');
  return (
    <FormShell
      form={form}
      loading={false}
      error={publish.error}
      failure="The version could not be published"
      submitLabel="Build version"
      operation="publishLayerVersion"
      cancel={close}
      onSubmit={({ requirements, ...values }) =>
        publish.send(JSON.stringify({ ...values, requirements: linesOf(requirements) }), 'application/json')
      }
    >
      <CardsField control={form.control} name="runtime" label="Runtime" options={builtRuntimes} />
      <TextAreaField
        control={form.control}
        name="requirements"
        label="Packages"
        description="One a line, with its version. They are installed in a sandbox that reaches the package index alone."
        placeholder={exampleOf(runtime)}
        rows={5}
        mono
      />
    </FormShell>
  );
}

const archiveSchema = z.object({ archive: archiveFile(ARCHIVE_BYTES) });

function ArchiveForm({ layer, close }: PublishDialogProps) {
  const publish = usePublish(layer, close);
  const form = useSchemaForm<{ archive: File | null }, { archive: File | null }>(archiveSchema, { archive: null });
  return (
    <FormShell
      form={form}
      loading={false}
      error={publish.error}
      failure="The version could not be published"
      submitLabel="Publish version"
      operation="publishLayerVersion"
      cancel={close}
      onSubmit={({ archive }) => {
        const data = new FormData();
        if (archive) data.append('archive', archive, archive.name);
        return publish.send(data);
      }}
    >
      <ArchiveField
        control={form.control}
        name="archive"
        hint="Up to 50 MB. Python finds packages in python/, Node.js in nodejs/node_modules/."
      />
    </FormShell>
  );
}

/** The request, which the typed client can't send: it takes a form or JSON. */
function usePublish(layer: Layer, close: () => void) {
  const { send: ask, headers } = useProject();
  const store = useQueryClient();
  const [error, setError] = useState<unknown>();
  const send = async (body: BodyInit, type?: string) => {
    setError(undefined);
    try {
      const address = new URL(`/api/v1/layers/${layer.id}/versions`, window.location.origin);
      const given = { ...headers, ...(type && { 'Content-Type': type }) };
      const answer = await ask(new Request(address, { method: 'POST', body, headers: given }));
      const { version }: LayerVersion = await answer.json();
      const isNew = answer.status === 201;
      void notify('success', isNew ? `Version ${version} is building` : `Version ${version} has this content already`);
      void store.invalidateQueries();
      close();
    } catch (refused) {
      setError(refused);
      throw refused;
    }
  };
  return { error, send };
}
