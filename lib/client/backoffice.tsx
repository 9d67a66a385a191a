'use client';

import { createContext, type ReactNode, use, useMemo } from 'react';
import { ApiScope, type Realm, useApi } from './scope';

/** The administrator who looks at the back office. */
export interface OfficePerson {
  id: string;
  name: string;
  email: string;
}

/** Where people sign in: tenants to the portal, administrators to the back office, which may have a host of its own. */
export interface SignInAddresses {
  portal: string;
  backoffice: string;
}

const OfficeContext = createContext<{ administrator: OfficePerson; signInAt: SignInAddresses } | undefined>(undefined);

/** Who looks at this page of the back office, and its API client. */
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

/** Gives the pages below it the back office's client, store of answers and live updates. */
export function BackOfficeScope({ administrator, signInAt, children }: BackOfficeScopeProps) {
  const office = useMemo(() => ({ administrator, signInAt }), [administrator, signInAt]);
  return (
    <OfficeContext value={office}>
      <ApiScope realm={realm}>{children}</ApiScope>
    </OfficeContext>
  );
}
