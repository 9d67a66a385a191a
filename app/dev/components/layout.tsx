import { notFound } from 'next/navigation';
import type { ReactNode } from 'react';
import { settings } from '@/lib/settings';
import { GalleryShell } from './gallery-shell';

/** The component gallery, with a page per shared component. Disabled in production by default. */
export default function GalleryLayout({ children }: { children: ReactNode }) {
  if (!settings().componentGallery) notFound();
  return <GalleryShell>{children}</GalleryShell>;
}
