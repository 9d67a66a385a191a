'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CodeBlock } from '@/components/kit/data/code-block';
import { Time } from '@/components/kit/data/time';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Loaded } from '@/components/kit/page/loaded';
import { Button } from '@/components/kit/ui/button';
import { Dialog } from '@/components/kit/ui/dialog';
import { Input } from '@/components/kit/ui/input';
import { Label } from '@/components/kit/ui/label';
import { Select } from '@/components/kit/ui/select';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';
import type { Opened } from './object-actions';
import { type Bucket, fileName } from './types';
import { messageOf } from './uploads';
import { useReread } from './use-objects';

interface ObjectDialogProps {
  bucket: Bucket;
  opened: Opened;
  open: (opened: Opened) => void;
  close: () => void;
}

/** The dialogs about one object. */
export function ObjectDialog({ bucket, opened, close }: ObjectDialogProps) {
  const { what, key } = opened;
  const titles = { preview: fileName(key), share: `Share ${fileName(key)}`, rename: `Rename ${fileName(key)}` };
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => isOpen || close()}
      title={titles[what]}
      size={what === 'preview' ? 'lg' : 'md'}
    >
      {what === 'preview' && <Preview bucket={bucket} objectKey={key} />}
      {what === 'share' && <Share bucket={bucket} objectKey={key} close={close} />}
      {what === 'rename' && <Rename bucket={bucket} objectKey={key} close={close} />}
    </Dialog>
  );
}

interface PartProps {
  bucket: Bucket;
  objectKey: string;
}

const MOST_TEXT_BYTES = 256 * 1024;
const MOST_PDF_BYTES = 50 * 1024 ** 2;

type Shown =
  | { kind: 'image'; url: string }
  | { kind: 'pdf'; url: string }
  | { kind: 'text'; text: string; cut: boolean }
  | { kind: 'none' };

const images = ['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'bmp', 'ico'];

/** Pictures and PDFs as they are; everything else that is text, HTML and SVG among it, as text. */
function Preview({ bucket, objectKey: key }: PartProps) {
  const { client } = useProject();
  const query = useQuery({
    queryKey: ['preview', bucket.name, key],
    gcTime: 0,
    retry: false,
    queryFn: async ({ signal }): Promise<Shown> => {
      const { data } = await client.POST('/api/v1/storage/buckets/{name}/objects/presign', {
        params: { path: { name: bucket.name } },
        body: { key, method: 'GET', expires_in: 600 },
        signal,
      });
      if (!data) throw new Error('The object could not be read.');
      const ending = key.slice(key.lastIndexOf('.') + 1).toLowerCase();
      if (images.includes(ending)) return { kind: 'image', url: data.url };
      return ending === 'pdf' ? readPdf(data.url, signal) : readText(data.url, signal);
    },
  });
  return (
    <Loaded query={query} what="The object" skeleton={<Skeleton className="h-64 w-full" />}>
      {(shown) => <View shown={shown} name={fileName(key)} />}
    </Loaded>
  );
}

async function readPdf(url: string, signal: AbortSignal): Promise<Shown> {
  const answer = await fetch(url, { signal });
  if (!answer.ok) throw new Error(messageOf(await answer.text()));
  if (Number(answer.headers.get('content-length')) > MOST_PDF_BYTES) return { kind: 'none' };
  // The type is ours, whatever the object says of itself.
  const file = new Blob([await answer.arrayBuffer()], { type: 'application/pdf' });
  return { kind: 'pdf', url: URL.createObjectURL(file) };
}

async function readText(url: string, signal: AbortSignal): Promise<Shown> {
  const answer = await fetch(url, { signal, headers: { Range: `bytes=0-${MOST_TEXT_BYTES - 1}` } });
  // An empty object has no range.
  if (answer.status === 416) return { kind: 'text', text: '', cut: false };
  if (!answer.ok) throw new Error(messageOf(await answer.text()));
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const whole = Number(answer.headers.get('content-range')?.split('/')[1] ?? bytes.length);
  if (bytes.includes(0)) return { kind: 'none' };
  return { kind: 'text', text: new TextDecoder().decode(bytes), cut: whole > bytes.length };
}

function View({ shown, name }: { shown: Shown; name: string }) {
  switch (shown.kind) {
    case 'image':
      // biome-ignore lint/performance/noImgElement: an object of a tenant, from another origin
      return <img src={shown.url} alt={name} className="mx-auto max-h-[60dvh] max-w-full rounded-md" />;
    case 'pdf':
      return <iframe src={shown.url} title={name} className="h-[60dvh] w-full rounded-md border" />;
    case 'text':
      return (
        <div className="space-y-2">
          <CodeBlock label={`Content of ${name}`} code={shown.text === '' ? '(empty)' : shown.text} />
          {shown.cut && <p className="text-ink-muted text-xs">The beginning. Download the object to see all of it.</p>}
        </div>
      );
    case 'none':
      return <p className="py-6 text-center text-ink-muted text-sm">There is no preview of this kind of file.</p>;
  }
}

const lifetimes = [
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
];

/** An address for people without an account. */
function Share({ bucket, objectKey: key, close }: PartProps & { close: () => void }) {
  const { api } = useProject();
  const [lifetime, setLifetime] = useState('3600');
  const presign = api.useMutation('post', '/api/v1/storage/buckets/{name}/objects/presign', { gcTime: 0 });
  return (
    <div className="space-y-4">
      <p className="text-pretty text-ink-muted text-sm">
        Everyone with the link can download the object until the link expires, or until you sign out. For links that
        last longer, make them with an API token or an access key.
      </p>
      {presign.data ? (
        <>
          <CodeBlock label="link" code={presign.data.url} />
          <p className="text-ink-muted text-xs">
            Expires <Time at={presign.data.expires_at} form="exact" />
          </p>
        </>
      ) : (
        <div>
          <Label htmlFor="lifetime">Expires after</Label>
          <Select id="lifetime" value={lifetime} onValueChange={setLifetime} options={lifetimes} />
        </div>
      )}
      {presign.error !== null && <ErrorNotice title="The link could not be made" error={presign.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={close}>{presign.data ? 'Close' : 'Cancel'}</Button>
        {!presign.data && (
          <Button
            variant="primary"
            pending={presign.isPending}
            onClick={() =>
              presign.mutate({
                params: { path: { name: bucket.name } },
                body: { key, method: 'GET', expires_in: Number(lifetime) },
              })
            }
          >
            Create link
          </Button>
        )}
      </div>
    </div>
  );
}

/** S3 has no renaming: the object is copied, then the old one deleted. */
function Rename({ bucket, objectKey: key, close }: PartProps & { close: () => void }) {
  const { api } = useProject();
  const reread = useReread(bucket.name);
  const copy = api.useMutation('post', '/api/v1/storage/buckets/{name}/objects/copy');
  const remove = api.useMutation('post', '/api/v1/storage/buckets/{name}/objects/delete');
  const [name, setName] = useState(key);
  const params = { path: { name: bucket.name } };
  const error = copy.error ?? remove.error;
  const submit = async () => {
    await copy.mutateAsync({ params, body: { source_key: key, key: name } });
    await remove.mutateAsync({ params, body: { keys: [key] } });
    await reread();
    close();
  };
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        // A failure is shown below.
        submit().catch(() => {});
      }}
    >
      <div>
        <Label htmlFor="new-key">New key</Label>
        <Input id="new-key" value={name} onChange={({ target }) => setName(target.value)} autoComplete="off" required />
        <p className="mt-1 text-ink-muted text-xs">An object with this key would be replaced. Slashes make folders.</p>
      </div>
      {error !== null && <ErrorNotice title="The object could not be renamed" error={error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={close}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          pending={copy.isPending || remove.isPending}
          disabled={name === key || name === ''}
        >
          Rename
        </Button>
      </div>
    </form>
  );
}
