import { notFound } from 'next/navigation';
import type { ReactNode } from 'react';
import { settings } from '@/lib/settings';
import { GalleryShell } from './gallery-shell';

/** Each shared component on a page of its own. In production there is no such address. */
export default function GalleryLayout({ children }: { children: ReactNode }) {
  if (!settings().componentGallery) notFound();
  return <GalleryShell>{children}</GalleryShell>;
}
