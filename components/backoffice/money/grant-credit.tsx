'use client';

import { type ReactNode, useState } from 'react';
import { lazyComponent } from '@/components/kit/ui/lazy-component';

const GrantCreditDialog = lazyComponent(() =>
  import('./grant-credit-dialog').then((module) => module.GrantCreditDialog),
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
