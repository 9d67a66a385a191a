'use client';

import { TextLink } from '@/components/network/text-link';
import { hrefOf, type NamedResource } from '@/components/shell/places';
import { useProject } from '@/lib/client/project';
import { typeTitle } from '@/lib/format/resource-type';

/** The name of something that is metered, leading to it, and what it is. */
export function ResourceLink({ resource }: { resource: NamedResource }) {
  const { project } = useProject();
  const href = hrefOf(project.slug, resource);
  const { type, name } = resource;
  return (
    <span className="block min-w-0 max-w-80">
      {href ? (
        <TextLink href={href} strong>
          {name}
        </TextLink>
      ) : (
        <span className="break-words font-medium">{name}</span>
      )}
      <span className="block text-ink-muted text-xs">{typeTitle(type)}</span>
    </span>
  );
}
