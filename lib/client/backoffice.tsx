'use client';

import { createContext, type ReactNode, use, useMemo } from 'react';
import { ApiScope, type Realm, useApi } from './scope';

/** The signed-in administrator. */
export interface OfficePerson {
  id: string;
  name: string;
  email: string;
}

/** The sign-in pages of the portal and of the back office, which may have its own host. */
export interface SignInAddresses {
  portal: string;
  backoffice: string;
}

const OfficeContext = createContext<{ administrator: OfficePerson; signInAt: SignInAddresses } | undefined>(undefined);

/** The administrator of this page, and the API client. */
export function useBackOffice() {
  const office = use(OfficeContext);
  if (!office) throw new Error('useBackOffice is for pages of the back office');
  return { ...office, ...useApi() };
}

const realm: Realm = { kind: 'backoffice' };

interface BackOfficeScopeProps {
  administrator: OfficePerson;
  signInAt: SignInAddresses;
  children: ReactNode;
}

/** Provides the back office's client, query cache and live updates to the pages below it. */
export function BackOfficeScope({ administrator, signInAt, children }: BackOfficeScopeProps) {
  const office = useMemo(() => ({ administrator, signInAt }), [administrator, signInAt]);
  return (
    <OfficeContext value={office}>
      <ApiScope realm={realm}>{children}</ApiScope>
    </OfficeContext>
  );
}
