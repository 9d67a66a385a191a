'use client';

import { useRouter } from 'next/navigation';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Loaded } from '@/components/kit/page/loaded';
import { Button } from '@/components/kit/ui/button';
import { notify } from '@/components/kit/ui/notify';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useBackOffice } from '@/lib/client/backoffice';
import { adminPaths } from '@/lib/paths';
import { TextLink } from './text-link';

/** Whoever has an account becomes an administrator with it, rather than getting a second one. */
export function ExistingAccount({ email }: { email: string }) {
  const { api } = useBackOffice();
  const router = useRouter();
  const query = api.useQuery('get', '/admin/api/v1/users', { params: { query: { email } } });
  const grant = api.useMutation('put', '/admin/api/v1/administrators/{id}');
  const add = async (id: string, name: string) => {
    await grant.mutateAsync({ params: { path: { id } } });
    void notify('success', `${name} is an administrator`);
    router.push(adminPaths.administrators());
  };
  return (
    <div role="alert" className="rounded-lg border border-caution/50 bg-caution-soft p-4 text-sm">
      <Loaded query={query} what="The account" skeleton={<Skeleton className="h-5 w-60" />}>
        {([user]) =>
          user === undefined ? (
            <p>The account was removed. Submit the form again.</p>
          ) : user.administrator ? (
            <p>{user.name} is already an administrator.</p>
          ) : !user.email_verified ? (
            <p className="text-pretty">
              <span className="font-medium">{user.name} already has an account</span>, and no mailed link has shown that
              the address is theirs. Let them reset their password by mail, or{' '}
              <TextLink href={adminPaths.user(user.id)}>release the address</TextLink> and add them then.
            </p>
          ) : (
            <div className="flex flex-wrap items-center justify-between gap-3">
              <p className="min-w-0 text-pretty">
                <span className="font-medium">{user.name} already has an account.</span> Their password does not change.
              </p>
              <Button pending={grant.isPending} onClick={() => void add(user.id, user.name).catch(() => {})}>
                Make administrator
              </Button>
            </div>
          )
        }
      </Loaded>
      {grant.error !== null && <ErrorNotice title="The administrator could not be added" error={grant.error} />}
    </div>
  );
}
