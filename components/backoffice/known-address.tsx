'use client';

import { useDeferredValue } from 'react';
import { useBackOffice } from '@/lib/client/backoffice';
import { adminPaths } from '@/lib/paths';
import { email as emailCheck } from './form-checks';
import { TextLink } from './text-link';

/** Tells an administrator, while they type, that an address already has an account; nothing where it has none. */
export function KnownAddress({ email }: { email: string }) {
  const { api } = useBackOffice();
  const address = useDeferredValue(email.trim().toLowerCase());
  const found = api.useQuery(
    'get',
    '/admin/api/v1/users',
    { params: { query: { email: address } } },
    { enabled: address.length <= 254 && emailCheck.safeParse(address).success },
  );
  const user = found.data?.find((one) => one.email === address);
  return (
    <div aria-live="polite">
      {user && (
        <p className="rounded-lg border border-caution/50 bg-caution-soft p-3 text-pretty text-sm">
          <span className="font-medium">{user.email} already has an account</span>, with the name {user.name}. They are
          invited and join with an acceptance code. If someone else created that account, release the address first:{' '}
          <TextLink href={adminPaths.user(user.id)}>open account</TextLink>.
        </p>
      )}
    </div>
  );
}
