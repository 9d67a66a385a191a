'use client';

import { createContext, type ReactNode, use, useMemo, useState } from 'react';

interface Credential {
  /** A token to try requests with; empty for the sign-in of this browser. Kept until the page is left, and nowhere else. */
  token: string;
  setToken: (token: string) => void;
}

const CredentialContext = createContext<Credential>({ token: '', setToken: () => {} });

/** Lets all requests that are tried on these pages go with the same token. */
export function CredentialProvider({ children }: { children: ReactNode }) {
  const [token, setToken] = useState('');
  return <CredentialContext value={useMemo(() => ({ token, setToken }), [token])}>{children}</CredentialContext>;
}

export function useCredential(): Credential {
  return use(CredentialContext);
}
