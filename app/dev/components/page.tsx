'use client';

import Link from 'next/link';
import { Page } from '@/components/kit/page/page';
import { galleryPath } from '@/lib/paths';
import { pieces } from './pieces';

export default function Gallery() {
  return (
    <Page title="Components" description="Shared components with sample data, for developers of pages.">
      <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
        {pieces.map(({ name, label, icon: Icon, purpose }) => (
          <li key={name} className="relative rounded-lg border bg-surface p-4 hover:border-line-strong">
            <Icon className="size-5 text-accent" aria-hidden="true" />
            <Link href={galleryPath(name)} className="mt-3 block font-medium text-sm after:absolute after:inset-0">
              {label}
            </Link>
            <p className="mt-0.5 text-pretty text-ink-muted text-sm">{purpose}</p>
          </li>
        ))}
      </ul>
    </Page>
  );
}
