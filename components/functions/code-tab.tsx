'use client';

import { keepPreviousData } from '@tanstack/react-query';
import { FileUp, Rocket } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { CodeEditor } from '@/components/kit/code/code-editor';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Loaded } from '@/components/kit/page/loaded';
import { useUnsaved } from '@/components/kit/page/unsaved';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { formatBytes } from '@/lib/format/size';
import { LiveLog } from './live-log';
import { TryOut } from './try-out';
import { bodyOf, type CloudFunction, languageOf } from './types';

const ArchiveDialog = lazyComponent(() => import('./archive-dialog').then((module) => module.ArchiveDialog));

const skeleton = <Skeleton className="h-128 w-full rounded-lg" />;

/** The code of a function in an editor, where saving deploys, beside events to try it with. */
export function CodeTab({ of }: { of: CloudFunction }) {
  const { api } = useProject();
  const templates = api.useQuery('get', '/api/v1/functions/templates', {});
  // While a new version is read, the editor stays as it is.
  const code = api.useQuery(
    'get',
    '/api/v1/functions/{id}/versions/{version}/code',
    { params: { path: { id: of.id, version: String(of.version) } } },
    { placeholderData: keepPreviousData },
  );
  const [rewriting, setRewriting] = useState(false);
  const [uploading, setUploading] = useState(false);
  const upload = <UploadButton open={() => setUploading(true)} />;
  const template = templates.data?.find(({ id }) => id === of.template_id);
  return (
    <div className="space-y-5">
      <Loaded query={code} what="The code" skeleton={skeleton}>
        {({ code_kind, code: text, files }) =>
          code_kind === 'archive' && !rewriting ? (
            <>
              <Files files={files} rewrite={template && (() => setRewriting(true))} upload={upload} />
              <TryOut of={of} isDirty={false} />
            </>
          ) : (
            <Workbench
              of={of}
              deployed={text}
              isReading={code.isPlaceholderData}
              start={text ?? template?.example ?? ''}
              file={template?.file}
              upload={upload}
            />
          )
        }
      </Loaded>
      <LiveLog functionId={of.id} />
      {uploading && <ArchiveDialog of={of} deployed={() => setRewriting(false)} close={() => setUploading(false)} />}
    </div>
  );
}

function UploadButton({ open }: { open: () => void }) {
  const refused = useRefusal()('replaceFunction');
  return (
    <DisabledReason reason={refused}>
      <Button size="sm" onClick={open}>
        <FileUp /> Upload archive
      </Button>
    </DisabledReason>
  );
}

interface FilesProps {
  files: readonly { path: string; size_bytes: number }[];
  rewrite: (() => void) | undefined;
  upload: ReactNode;
}

function Files({ files, rewrite, upload }: FilesProps) {
  return (
    <Card
      title="Archive"
      description="The code was sent as a zip. A new archive is a new version."
      actions={
        <span className="flex flex-wrap justify-end gap-2">
          {rewrite && (
            <Button size="sm" variant="quiet" onClick={rewrite}>
              Write code instead
            </Button>
          )}
          {upload}
        </span>
      }
      flush
    >
      <ul className="max-h-80 divide-y overflow-y-auto">
        {files.map(({ path, size_bytes }) => (
          <li key={path} className="flex justify-between gap-4 px-4 py-1.5 font-mono text-xs">
            <span className="wrap-anywhere">{path}</span>
            <span className="shrink-0 text-ink-muted tabular-nums">{formatBytes(size_bytes)}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

interface WorkbenchProps {
  of: CloudFunction;
  /** The deployed text; null for an archive. */
  deployed: string | null;
  /** A newer version is being read. */
  isReading: boolean;
  start: string;
  file: string | undefined;
  upload: ReactNode;
}

function Workbench({ of, deployed, isReading, start, file = 'Code', upload }: WorkbenchProps) {
  const { api } = useProject();
  const refusal = useRefusal();
  const [text, setText] = useState(start);
  const base = useRef(start);
  const replace = api.useMutation('put', '/api/v1/functions/{id}');
  const isDirty = !isReading && text !== deployed;
  // A version that someone else has deployed is shown, unless there is something to lose here.
  useEffect(() => {
    if (deployed === null || deployed === base.current) return;
    setText((typed) => (typed === base.current ? deployed : typed));
    base.current = deployed;
  }, [deployed]);
  useUnsaved(() => isDirty && deployed !== null);
  const refused = refusal('replaceFunction');
  const deploy = () => {
    if (refused || !isDirty || replace.isPending) return;
    replace.mutate({ params: { path: { id: of.id } }, body: { ...bodyOf(of), code: text } });
  };
  const latest = useRef(deploy);
  useEffect(() => {
    latest.current = deploy;
  });
  useEffect(() => {
    const save = (event: KeyboardEvent) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      latest.current();
    };
    window.addEventListener('keydown', save);
    return () => window.removeEventListener('keydown', save);
  }, []);
  return (
    <div className="space-y-5">
      <section aria-label="Editor" className="overflow-hidden rounded-lg border bg-surface">
        <header className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b px-3 py-2">
          <span className="font-mono text-sm">{file}</span>
          <span role="status" className="text-ink-muted text-xs">
            {stateOf(of, isDirty, replace.isPending || isReading)}
          </span>
          <span className="ml-auto flex items-center gap-3">
            <kbd className="text-ink-subtle text-xs max-sm:hidden">Ctrl S</kbd>
            {upload}
            <DisabledReason reason={refused ?? (isDirty ? undefined : 'There are no changes to deploy.')}>
              <Button variant="primary" size="sm" pending={replace.isPending} onClick={deploy}>
                <Rocket /> Deploy
              </Button>
            </DisabledReason>
          </span>
        </header>
        {replace.error && (
          <div className="p-3">
            <ErrorNotice title="The code could not be deployed" error={replace.error} />
          </div>
        )}
        <div className="h-[min(30rem,50dvh)] *:h-full [&_.rounded-md]:rounded-none [&_.rounded-md]:border-0">
          <CodeEditor
            label="Function code"
            value={text}
            onChange={setText}
            language={languageOf(of.template_id)}
            fill
          />
        </div>
      </section>
      <TryOut of={of} isDirty={isDirty} />
    </div>
  );
}

function stateOf({ status, version }: CloudFunction, isDirty: boolean, isSending: boolean): string {
  if (isSending || status === 'deploying') return 'Deploying';
  return isDirty ? 'Changes not deployed' : `Version ${version}`;
}
