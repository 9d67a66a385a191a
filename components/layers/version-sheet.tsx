'use client';

import { CodeBlock } from '@/components/kit/data/code-block';
import { Id } from '@/components/kit/data/id';
import { PropertyList } from '@/components/kit/data/property-list';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { LogViewer } from '@/components/kit/logs/log-viewer';
import { Loaded } from '@/components/kit/page/loaded';
import { Dialog } from '@/components/kit/ui/dialog';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';
import { formatCount } from '@/lib/format/quantity';
import { formatBytes } from '@/lib/format/size';
import { type Layer, type LayerVersion, runtimeName } from './types';

interface VersionSheetProps {
  layer: Layer;
  version: LayerVersion;
  close: () => void;
}

/** How often the output of a running builder is read. */
const EVERY_MS = 1000;

/** One version of a layer: what is in it, what it was resolved to, and what its builder said. */
export function VersionSheet({ layer, version: opened, close }: VersionSheetProps) {
  const { api } = useProject();
  const params = { path: { id: layer.id, version_id: opened.id } };
  const read = api.useQuery('get', '/api/v1/layers/{id}/versions/{version_id}', { params });
  const version = read.data ?? opened;
  const { status, source, runtime, requirements, lockfile, size_bytes, file_count, sha256, created_at } = version;
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      form="sheet"
      size="lg"
      title={`${layer.name}, version ${version.version}`}
    >
      <div className="space-y-6">
        <PropertyList
          items={[
            ['Status', <StatusBadge key="status" status={status} reason={version.status_reason} />],
            ['Reason', version.status_reason ?? undefined],
            ['Version ID', <Id key="id" value={version.id} label="version ID" />],
            ['Source', source === 'archive' ? 'Archive' : requirements?.join(', ')],
            ['Runtime', runtimeName(runtime)],
            [
              'Size',
              size_bytes === null ? undefined : `${formatBytes(size_bytes)}, ${formatCount(file_count ?? 0, 'file')}`,
            ],
            ['SHA-256', sha256 === null ? undefined : <Id key="sha256" value={sha256} label="SHA-256" />],
            ['Created', <Time key="created" at={created_at} form="exact" />],
          ]}
        />
        {layer.is_own && source === 'requirements' && <BuilderOutput layer={layer} version={version} />}
        {lockfile && (
          <section className="space-y-2">
            <h3 className="font-semibold text-sm">Lockfile</h3>
            <CodeBlock label="lockfile" code={lockfile.trim()} />
          </section>
        )}
      </div>
    </Dialog>
  );
}

function BuilderOutput({ layer, version }: { layer: Layer; version: LayerVersion }) {
  const { api } = useProject();
  const isBuilding = version.status === 'building';
  const output = api.useQuery(
    'get',
    '/api/v1/layers/{id}/versions/{version_id}/log',
    { params: { path: { id: layer.id, version_id: version.id } } },
    { refetchInterval: isBuilding ? EVERY_MS : false },
  );
  return (
    <section className="space-y-2">
      <h3 className="font-semibold text-sm">Builder output</h3>
      <Loaded query={output} what="The builder output" skeleton={<Skeleton className="h-64 w-full rounded-md" />}>
        {({ log }) => <LogViewer label="Builder output" text={log} live={isBuilding} />}
      </Loaded>
    </section>
  );
}
