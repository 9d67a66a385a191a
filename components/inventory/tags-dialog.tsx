'use client';

import { useState } from 'react';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { KeyValueEditor } from '@/components/kit/pairs/key-value-editor';
import { type Pair, pairProblems, pairsToRecord } from '@/components/kit/pairs/pairs';
import { Button } from '@/components/kit/ui/button';
import { Dialog } from '@/components/kit/ui/dialog';
import { useProject } from '@/lib/client/project';

interface TagsDialogProps {
  resource: { type: string; id: string; name: string; tags: Readonly<Record<string, string>> };
  close: () => void;
}

/** Edits the tags of a resource. */
export function TagsDialog({ resource: { type, id, name, tags }, close }: TagsDialogProps) {
  const { api } = useProject();
  const replace = api.useMutation('put', '/api/v1/inventory/tags/{type}/{id}');
  const [pairs, setPairs] = useState<Pair[]>(() => Object.entries(tags).map(([key, value]) => ({ key, value })));
  const wrong = pairProblems(pairs).some((problem) => problem !== undefined);
  const save = async () => {
    await replace.mutateAsync({ params: { path: { type, id } }, body: { tags: pairsToRecord(pairs) } });
    close();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      title={`Tags of ${name}`}
      description="Tags group resources in lists and costs. Keys are lowercase, such as env or team/name."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          // The error is shown below.
          void save().catch(() => {});
        }}
      >
        <KeyValueEditor label="Tags" one="tag" pairs={pairs} onChange={setPairs} />
        {replace.error !== null && <ErrorNotice title="The tags could not be saved" error={replace.error} />}
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" variant="primary" pending={replace.isPending} disabled={wrong}>
            Save tags
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
