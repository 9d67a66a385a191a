'use client';

import { Play } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/kit/ui/button';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import type { RequestForm } from './request';

const TryRequestSheet = lazyComponent(() => import('./try-request-sheet').then((module) => module.TryRequestSheet));

/** Opens the form that sends a request of one's own. */
export function TryRequest({ operation, baseUrl }: { operation: RequestForm; baseUrl: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)} aria-label={`Try it: ${operation.summary}`}>
        <Play /> Try it
      </Button>
      {open && <TryRequestSheet operation={operation} baseUrl={baseUrl} close={() => setOpen(false)} />}
    </>
  );
}
