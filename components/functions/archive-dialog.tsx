'use client';

import * as z from 'zod/mini';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Dialog } from '@/components/kit/ui/dialog';
import { notify } from '@/components/kit/ui/notify';
import { ArchiveField, archiveFile } from '@/components/kit/upload/archive-field';
import { ARCHIVE_BYTES, ARCHIVE_HINT } from './archive-limits';
import { bodyOf, type CloudFunction } from './types';
import { useArchive } from './use-archive';

const schema = z.object({ archive: archiveFile(ARCHIVE_BYTES) });
type Values = { archive: File | null };

interface ArchiveDialogProps {
  of: CloudFunction;
  deployed: () => void;
  close: () => void;
}

/** Deploys a zip file as the next version; the configuration stays. */
export function ArchiveDialog({ of, deployed, close }: ArchiveDialogProps) {
  const archive = useArchive();
  const form = useSchemaForm<Values, Values>(schema, { archive: null });
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      title={`Upload an archive to ${of.name}`}
      description={`Replaces the code as version ${of.version + 1}; the handler is ${of.handler}.`}
    >
      <FormShell
        form={form}
        loading={false}
        error={archive.error}
        failure="The archive could not be deployed"
        submitLabel="Deploy archive"
        operation="replaceFunction"
        cancel={close}
        onSubmit={async (values) => {
          const { version } = await archive.send('PUT', `/api/v1/functions/${of.id}`, bodyOf(of), values.archive);
          void notify('success', `Version ${version} is being deployed`);
          deployed();
          close();
        }}
      >
        <ArchiveField control={form.control} name="archive" hint={ARCHIVE_HINT} />
      </FormShell>
    </Dialog>
  );
}
