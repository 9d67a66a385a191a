'use client';

import Link from 'next/link';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import type { Volume } from './storage-can';

/** The instance that has a volume. */
export function AttachedTo({ attachments }: Pick<Volume, 'attachments'>) {
  const { project } = useProject();
  const [attachment] = attachments;
  if (!attachment) return <span className="text-ink-subtle">–</span>;
  return (
    <Link href={paths.instance(project.slug, attachment.instance_id)} className="hover:underline">
      {attachment.instance_name}
    </Link>
  );
}
