'use client';

import dynamic from 'next/dynamic';
import { type ReactNode, useState } from 'react';
import { whenReachable } from '@/components/kit/ui/when-reachable';

const GrantCreditDialog = dynamic(() =>
  whenReachable(() => import('./grant-credit-dialog').then((module) => module.GrantCreditDialog)),
);

interface Grantee {
  id: string;
  name: string;
}

/** Grants a tenant credit; `dialog` stands in the page that offers it. */
export function useGrantCredit(): { grantCredit: (tenant: Grantee) => void; dialog: ReactNode } {
  const [tenant, setTenant] = useState<Grantee>();
  const dialog = tenant && <GrantCreditDialog tenant={tenant} close={() => setTenant(undefined)} />;
  return { grantCredit: setTenant, dialog };
}
