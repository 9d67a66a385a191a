'use client';

import { ChevronDown } from 'lucide-react';
import { Button } from '@/components/kit/ui/button';
import { deferred } from '@/components/kit/ui/deferred';
import type { Call } from '@/lib/client/commands';

export interface CopyAsProps {
  /** The request as the page stands; undefined if a form has to be completed first. */
  call: () => Call | undefined;
}

const CopyAsPopup = deferred<CopyAsProps>('menu', () => import('./copy-as-popup').then((module) => module.CopyAsPopup));

/** The menu that copies a page's or a form's request for a shell or for a program. */
export function CopyAs({ call }: CopyAsProps) {
  const trigger = (
    <Button variant="quiet">
      Copy as <ChevronDown className="text-ink-subtle" />
    </Button>
  );
  return <CopyAsPopup trigger={trigger} call={call} />;
}
