'use client';

import { KeyRound, LogOut, ScrollText, ShieldMinus, ShieldPlus } from 'lucide-react';
import { useConfirm } from '@/components/page/confirm';
import type { Action } from '@/components/table/row-actions';
import { notify } from '@/components/ui/notify';
import { useBackOffice } from '@/lib/client/backoffice';
import { type Row, useList } from '@/lib/client/list';
import { adminPaths } from '@/lib/paths';

export type PlatformUser = Row<'/admin/api/v1/users'>;

/** What can be done with a person's account, in rows and on their page. */
export function useUserActions(): (user: PlatformUser) => readonly Action[] {
  const { api, administrator: self } = useBackOffice();
  const confirm = useConfirm();
  const reset = api.useMutation('post', '/admin/api/v1/users/{id}/reset-second-factor');
  const signOut = api.useMutation('post', '/admin/api/v1/users/{id}/revoke-sessions');
  const grant = api.useMutation('put', '/admin/api/v1/administrators/{id}');
  const remove = api.useMutation('delete', '/admin/api/v1/administrators/{id}');
  const administrators = useList('/admin/api/v1/administrators', { limit: 2 });

  return (user) => {
    const { id, name, email, two_factor_enabled } = user;
    const params = { path: { id } };
    const you = id === self.id;
    const last = administrators.data?.rows.length === 1 && administrators.data.rows[0]?.id === id;
    const tell = (title: string) => void notify('success', title);
    return [
      { label: 'What they did', icon: ScrollText, href: adminPaths.audit({ actor: id }) },
      {
        label: 'Reset second factor',
        icon: KeyRound,
        disabledReason: two_factor_enabled ? undefined : 'No second factor is set up.',
        onSelect: () =>
          confirm({
            title: `Reset the second factor of ${name}?`,
            consequence: `Make sure that it is really ${email} who asks. Their password alone signs them in until they set up another, and ${you ? 'you are' : 'they are'} signed out everywhere now.`,
            confirmLabel: 'Reset second factor',
            onConfirm: async () => {
              await reset.mutateAsync({ params, body: {} });
              tell(`${name} has no second factor any more`);
            },
          }),
      },
      {
        label: 'End all sessions',
        icon: LogOut,
        onSelect: () =>
          confirm({
            title: `Sign ${you ? 'yourself' : name} out everywhere?`,
            consequence:
              'All their sessions end with the next request, in the portal and in the back office. They can sign in again, and their API tokens stay.',
            confirmLabel: 'End all sessions',
            onConfirm: async () => {
              await signOut.mutateAsync({ params, body: {} });
              tell(`${name} is signed out everywhere`);
            },
          }),
      },
      user.administrator
        ? {
            label: 'Remove from administrators',
            icon: ShieldMinus,
            danger: true,
            disabledReason: last ? 'The last administrator stays. Add another one first.' : undefined,
            onSelect: () =>
              confirm({
                title: you ? 'Leave the administrators?' : `Remove ${name} from the administrators?`,
                consequence: `The back office closes to ${you ? 'you' : 'them'} at once. The account itself stays, with all its memberships.`,
                confirmLabel: you ? 'Leave' : 'Remove administrator',
                onConfirm: () => remove.mutateAsync({ params }),
              }),
          }
        : {
            label: 'Make administrator',
            icon: ShieldPlus,
            onSelect: () =>
              confirm({
                title: `Make ${name} an administrator?`,
                consequence:
                  'The whole back office opens to them: every tenant, user and limit, and the record of it all.',
                confirmLabel: 'Make administrator',
                onConfirm: () => grant.mutateAsync({ params }),
              }),
          },
    ];
  };
}
