'use client';

import { CodeDiff } from '@/components/kit/code/code-diff';
import { Loaded } from '@/components/kit/page/loaded';
import { Dialog } from '@/components/kit/ui/dialog';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';
import { type CloudFunction, type FunctionVersion, languageOf } from './types';

interface DiffDialogProps {
  of: CloudFunction;
  version: FunctionVersion;
  close: () => void;
}

const settings = [
  ['Handler', 'handler'],
  ['Memory in MB', 'memory_mb'],
  ['Timeout in s', 'timeout_s'],
  ['Concurrency', 'concurrency'],
  ['Network', 'network'],
  ['Schedule', 'schedule'],
  ['URL', 'url_auth'],
] as const;

/** What changed between a version and the current one: code, then settings. */
export function DiffDialog({ of, version, close }: DiffDialogProps) {
  const before = useCode(of.id, version.version);
  const after = useCode(of.id, of.version);
  const query = {
    data: before.data && after.data && { before: before.data, after: after.data },
    error: before.error ?? after.error,
    refetch: () => Promise.all([before.refetch(), after.refetch()]),
  };
  const changed = settings.filter(([, name]) => version[name] !== of[name]);
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      size="lg"
      title={`Version ${version.version} and version ${of.version}`}
      description="On the left the earlier version, on the right the current one."
    >
      <div className="space-y-4">
        <Loaded query={query} what="The code" skeleton={<Skeleton className="h-64 w-full rounded-md" />}>
          {({ before: earlier, after: current }) => (
            <CodeDiff
              label="Function code"
              before={textOf(earlier)}
              after={textOf(current)}
              language={languageOf(of.template_id)}
            />
          )}
        </Loaded>
        {changed.length > 0 && (
          <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5 text-sm">
            {changed.map(([label, name]) => (
              <div key={name} className="contents">
                <dt className="text-ink-muted">{label}</dt>
                <dd>
                  {version[name] ?? 'None'} → {of[name] ?? 'None'}
                </dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </Dialog>
  );
}

function useCode(id: string, version: number) {
  const { api } = useProject();
  return api.useQuery('get', '/api/v1/functions/{id}/versions/{version}/code', {
    params: { path: { id, version: String(version) } },
  });
}

/** The code, or the files of an archive. */
const textOf = ({ code, files }: { code: string | null; files: readonly { path: string; size_bytes: number }[] }) =>
  code ?? files.map(({ path, size_bytes }) => `${path}  ${size_bytes}`).join('\n');
