'use client';

import { Globe, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { Id } from '@/components/kit/data/id';
import { Time } from '@/components/kit/data/time';
import { useConfirm } from '@/components/kit/page/confirm';
import { Loaded } from '@/components/kit/page/loaded';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import type { Layer } from './types';

const ShareDialog = lazyComponent(() => import('./share-dialog').then((module) => module.ShareDialog));

const kept = 'Functions that use the layer go on with it. No others can choose it any more.';

/** Who may use a layer besides its own project. */
export function SharingTab({ layer }: { layer: Layer }) {
  const { api } = useProject();
  const refusal = useRefusal();
  const confirm = useConfirm();
  const [sharing, setSharing] = useState(false);
  const path = { id: layer.id };
  const permissions = api.useQuery('get', '/api/v1/layers/{id}/permissions', {
    params: { path, query: { limit: 200 } },
  });
  const share = api.useMutation('post', '/api/v1/layers/{id}/permissions');
  const unshare = api.useMutation('delete', '/api/v1/layers/{id}/permissions');
  const publish = () =>
    confirm({
      title: `Make ${layer.name} public?`,
      consequence: 'Every project of the platform can use all its versions, and sees the slug of this one.',
      confirmLabel: 'Make public',
      harmless: true,
      onConfirm: () => share.mutateAsync({ params: { path }, body: { public: true } }),
    });
  const end = (title: string, query: { public: 'true' } | { project_id: string }) =>
    confirm({
      title,
      consequence: kept,
      confirmLabel: 'Stop sharing',
      onConfirm: () => unshare.mutateAsync({ params: { path, query } }),
    });
  return (
    <Loaded query={permissions} what="The permissions" skeleton={<Skeleton className="h-60 w-full rounded-lg" />}>
      {(all) => {
        const projects = all.flatMap(({ project_id, created_at }) => (project_id ? [{ project_id, created_at }] : []));
        const isPublic = all.some((permission) => permission.public);
        return (
          <div className="max-w-3xl space-y-5">
            <Card
              title="Everyone"
              description={
                isPublic
                  ? 'Every project of the platform can use this layer.'
                  : 'Only the projects below can use this layer.'
              }
              actions={
                <DisabledReason reason={refusal(isPublic ? 'unshareLayer' : 'shareLayer')}>
                  {isPublic ? (
                    <Button onClick={() => end(`Stop sharing ${layer.name} with everyone?`, { public: 'true' })}>
                      Stop sharing
                    </Button>
                  ) : (
                    <Button onClick={publish}>
                      <Globe /> Make public
                    </Button>
                  )}
                </DisabledReason>
              }
            />
            <Card
              title="Projects"
              description="They can use all versions of this layer, and change none."
              flush
              actions={
                <DisabledReason reason={refusal('shareLayer')}>
                  <Button onClick={() => setSharing(true)}>
                    <Plus /> Share with project
                  </Button>
                </DisabledReason>
              }
            >
              {projects.length === 0 ? (
                <p className="px-4 py-6 text-ink-muted text-sm">Not shared with any project.</p>
              ) : (
                <ul className="divide-y">
                  {projects.map(({ project_id, created_at }) => (
                    <li key={project_id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 text-sm">
                      <Id value={project_id} label="project ID" />
                      <span className="text-ink-muted text-xs">
                        Since <Time at={created_at} />
                      </span>
                      <DisabledReason reason={refusal('unshareLayer')}>
                        <Button
                          size="icon-sm"
                          variant="quiet"
                          className="ml-auto"
                          aria-label={`Stop sharing with ${project_id}`}
                          onClick={() => end('Stop sharing with this project?', { project_id })}
                        >
                          <Trash2 />
                        </Button>
                      </DisabledReason>
                    </li>
                  ))}
                </ul>
              )}
            </Card>
            {sharing && <ShareDialog layer={layer} close={() => setSharing(false)} />}
          </div>
        );
      }}
    </Loaded>
  );
}
