'use client';

import { keepPreviousData } from '@tanstack/react-query';
import { Play, Rocket } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { CodeEditor } from '@/components/kit/code/code-editor';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Loaded } from '@/components/kit/page/loaded';
import { useUnsaved } from '@/components/kit/page/unsaved';
import { Badge } from '@/components/kit/ui/badge';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { formatBytes } from '@/lib/format/size';
import { InvocationOutcome } from './invocation-outcome';
import { TestEventEditor } from './test-event-editor';
import { payloadProblem, type TestEvent } from './test-events';
import { bodyOf, type CloudFunction, languageOf, shortDuration } from './types';

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
  const template = templates.data?.find(({ id }) => id === of.template_id);
  return (
    <Loaded query={code} what="The code" skeleton={skeleton}>
      {({ code_kind, code: text, files }) =>
        code_kind === 'archive' && !rewriting ? (
          <div className="space-y-5">
            <Files files={files} rewrite={template && (() => setRewriting(true))} />
            <TryOut of={of} isDirty={false} />
          </div>
        ) : (
          <Workbench
            of={of}
            deployed={text}
            isReading={code.isPlaceholderData}
            start={text ?? template?.example ?? ''}
            file={template?.file}
          />
        )
      }
    </Loaded>
  );
}

interface FilesProps {
  files: readonly { path: string; size_bytes: number }[];
  rewrite: (() => void) | undefined;
}

function Files({ files, rewrite }: FilesProps) {
  return (
    <Card
      title="Archive"
      description="The code was sent as a zip. A new one is sent with PUT /functions/{id}."
      actions={rewrite && <Button onClick={rewrite}>Write code instead</Button>}
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
}

function Workbench({ of, deployed, isReading, start, file = 'Code' }: WorkbenchProps) {
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

/** Sends test events and shows what came of them. */
function TryOut({ of, isDirty }: { of: CloudFunction; isDirty: boolean }) {
  const { api } = useProject();
  const refusal = useRefusal();
  const [event, setEvent] = useState<TestEvent>();
  const invoke = api.useMutation('post', '/api/v1/functions/{id}/invoke');
  const [shown, setShown] = useState<string>();
  const path = { id: of.id, invocation_id: shown ?? '' };
  const invocation = api.useQuery(
    'get',
    '/api/v1/functions/{id}/invocations/{invocation_id}',
    { params: { path } },
    { enabled: shown !== undefined },
  );
  const problem = event && payloadProblem(event.payload);
  const reason = refusal('invokeFunction') ?? problem ?? whyNotInvoke(of);
  const run = async () => {
    if (!event || reason) return;
    const answer = await invoke.mutateAsync({
      params: { path: { id: of.id } },
      body: { payload: JSON.parse(event.payload), mode: 'sync' },
    });
    setShown(answer.invocation_id);
  };
  const { data } = invocation;
  return (
    <section aria-label="Try out" className="grid items-start gap-5 *:min-w-0 xl:grid-cols-[24rem_minmax(0,1fr)]">
      <Card
        title="Test event"
        actions={
          <DisabledReason reason={reason}>
            <Button size="sm" pending={invoke.isPending} onClick={() => void run().catch(() => {})}>
              <Play /> Invoke
            </Button>
          </DisabledReason>
        }
      >
        <TestEventEditor functionId={of.id} onChange={setEvent} />
        {isDirty && (
          <p className="mt-3 text-caution-ink text-xs">Invokes version {of.version}, without your changes.</p>
        )}
      </Card>
      <Card
        title="Outcome"
        aria-label="Outcome"
        actions={
          data && (
            <span className="flex flex-wrap items-center justify-end gap-x-3 gap-y-1 text-xs tabular-nums">
              <StatusBadge status={data.status} />
              {data.cold_start && <Badge>Cold start</Badge>}
              {data.duration_ms !== null && <span>{shortDuration(data.duration_ms)}</span>}
              {data.memory_mb !== null && <span className="text-ink-muted">{data.memory_mb} MB</span>}
            </span>
          )
        }
      >
        {invoke.error && <ErrorNotice title="The function could not be invoked" error={invoke.error} />}
        {data && !invoke.error && <InvocationOutcome invocation={data} />}
        {!data && !invoke.error && (
          <p className="py-8 text-center text-ink-muted text-sm">Result and log of the invocation appear here.</p>
        )}
      </Card>
    </section>
  );
}

const whyNotInvoke = ({ status, status_reason }: CloudFunction): string | undefined =>
  status === 'error' ? (status_reason ?? 'The function is in error.') : undefined;
