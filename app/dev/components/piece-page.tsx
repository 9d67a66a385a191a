'use client';

import type { ReactNode } from 'react';
import { Page } from '@/components/kit/page/page';
import { pieceOf } from './pieces';

/** The page of one component. */
export function PiecePage({ name, children }: { name: string; children: ReactNode }) {
  const { label, purpose } = pieceOf(name);
  return (
    <Page title={label} description={purpose}>
      <div className="space-y-6">{children}</div>
    </Page>
  );
}
