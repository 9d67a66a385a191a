'use client';

import { Tags } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/kit/ui/button';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useMay } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { TagList } from './tag-list';

const TagsDialog = lazyComponent(() => import('./tags-dialog').then((module) => module.TagsDialog));

interface ResourceTagsProps {
  type: string;
  id: string;
  name: string;
}

/** The tags of a resource, and the way to change them. */
export function ResourceTags({ type, id, name }: ResourceTagsProps) {
  const { api } = useProject();
  const { data, error } = api.useQuery('get', '/api/v1/inventory/tags/{type}/{id}', { params: { path: { type, id } } });
  const may = useMay('replaceTags');
  const [editing, setEditing] = useState(false);
  if (!data) {
    if (error === null) return <Skeleton className="mb-4 h-7 w-28" />;
    return <p className="mb-4 text-ink-muted text-sm">The tags could not be loaded.</p>;
  }
  const { tags } = data;
  const empty = Object.keys(tags).length === 0;
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2">
      {!empty && <TagList tags={tags} />}
      <Button variant="quiet" size="sm" disabled={!may.allowed} title={may.reason} onClick={() => setEditing(true)}>
        <Tags className="size-3.5" aria-hidden />
        {empty ? 'Add tags' : 'Edit tags'}
      </Button>
      {editing && <TagsDialog resource={{ type, id, name, tags }} close={() => setEditing(false)} />}
    </div>
  );
}
