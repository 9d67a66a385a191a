'use client';

import { Download } from 'lucide-react';
import { Button } from '@/components/kit/ui/button';
import { deferred } from '@/components/kit/ui/deferred';
import type { DownloadMenuProps } from './download-menu-popup';

const DownloadMenuPopup = deferred<DownloadMenuProps>('menu', () =>
  import('./download-menu-popup').then((module) => module.DownloadMenuPopup),
);

/** Saves the lines of a query as a file. */
export function DownloadMenu({ disabled, ...rest }: DownloadMenuProps & { disabled: boolean }) {
  const button = (
    <Button variant="quiet" disabled={disabled}>
      <Download /> Download
    </Button>
  );
  return disabled ? button : <DownloadMenuPopup {...rest} trigger={button} />;
}
