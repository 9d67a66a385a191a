'use client';

import { createContext, type ReactNode, use } from 'react';
import { ApiScope, type Realm, useApi } from './scope';

/** The administrator who looks at the back office. */
export interface OfficePerson {
  id: string;
  name: string;
  email: string;
}

const AdministratorContext = createContext<OfficePerson | undefined>(undefined);

/** Who looks at this page of the back office, and its API client. */
export function useBackOffice() {
  const administrator = use(AdministratorContext);
  if (!administrator) throw new Error('useBackOffice is for pages of the back office');
  return { administrator, ...useApi() };
}

const realm: Realm = { kind: 'backoffice' };

/** Gives the pages below it the back office's client, store of answers and live updates. */
export function BackOfficeScope({ administrator, children }: { administrator: OfficePerson; children: ReactNode }) {
  return (
    <AdministratorContext value={administrator}>
      <ApiScope realm={realm}>{children}</ApiScope>
    </AdministratorContext>
  );
}
