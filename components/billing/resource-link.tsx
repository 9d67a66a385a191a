'use client';

import { TextLink } from '@/components/network/text-link';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

interface Metered {
  type: string;
  id: string;
  name: string;
}

/** Where a metered resource is to be seen; a type without pages of its own has none. */
const places: Record<string, (project: string, id: string) => string> = {
  instance: (project, id) => paths.instance(project, id),
  volume: (project, id) => paths.volume(project, id),
  snapshot: (project) => paths.snapshots(project),
  image: paths.image,
};

/** The name of something that is metered, leading to it, and what it is. */
export function ResourceLink({ resource: { type, id, name } }: { resource: Metered }) {
  const { project } = useProject();
  const place = places[type];
  return (
    <span className="block min-w-0 max-w-80">
      {place ? (
        <TextLink href={place(project.slug, id)} strong>
          {name}
        </TextLink>
      ) : (
        <span className="break-words font-medium">{name}</span>
      )}
      <span className="block text-ink-muted text-xs">{typeLabel(type)}</span>
    </span>
  );
}

/** `load_balancer` → `Load balancer` */
function typeLabel(type: string): string {
  const words = type.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
