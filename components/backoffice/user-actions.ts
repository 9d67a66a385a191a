'use client';

import { AtSign, KeyRound, LogOut, ScrollText, ShieldMinus, ShieldPlus } from 'lucide-react';
import type { Action } from '@/components/kit/table/row-actions';
import { notify } from '@/components/kit/ui/notify';
import { useBackOffice } from '@/lib/client/backoffice';
import { type Row, useList } from '@/lib/client/list';
import { adminPaths } from '@/lib/paths';

export type PlatformUser = Row<'/admin/api/v1/users'>;

/** What can be done with a person's account, in rows and on their page. */
export function useUserActions(): (user: PlatformUser) => readonly Action[] {
  const { api, administrator: self } = useBackOffice();
  const reset = api.useMutation('post', '/admin/api/v1/users/{id}/reset-second-factor');
  const signOut = api.useMutation('post', '/admin/api/v1/users/{id}/revoke-sessions');
  const release = api.useMutation('post', '/admin/api/v1/users/{id}/release-email');
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
      { label: 'View activity', icon: ScrollText, href: adminPaths.audit({ actor: id }) },
      {
        label: 'Reset two-factor authentication',
        several: (users) => `Reset two-factor authentication of ${users}`,
        icon: KeyRound,
        disabledReason: two_factor_enabled ? undefined : 'Two-factor authentication is off.',
        confirmation: {
          title: `Reset two-factor authentication of ${name}?`,
          consequence: `Verify that the request comes from ${email}. ${you ? 'You are' : 'They are'} signed out everywhere, and can sign in with the password alone until two-factor authentication is set up again.`,
          confirmLabel: 'Reset two-factor authentication',
          onConfirm: async () => {
            await reset.mutateAsync({ params, body: {} });
            tell(`Two-factor authentication of ${name} reset`);
          },
        },
      },
      {
        label: 'End all sessions',
        several: (users) => `End all sessions of ${users}`,
        icon: LogOut,
        confirmation: {
          title: `Sign ${you ? 'yourself' : name} out everywhere?`,
          consequence: 'All their sessions in the portal and the back office end immediately. API tokens keep working.',
          confirmLabel: 'End all sessions',
          onConfirm: async () => {
            await signOut.mutateAsync({ params, body: {} });
            tell(`${name} signed out everywhere`);
          },
        },
      },
      {
        label: 'Release e-mail address',
        several: (users) => `Release e-mail addresses of ${users}`,
        icon: AtSign,
        danger: true,
        disabledReason: releaseRefusal(user),
        confirmation: {
          title: `Release ${email}?`,
          consequence: `Only if the owner of the address did not create this account${user.email_verified ? ', although a mailed link once showed that they read its mail' : ''}. The account keeps its password, its sessions and its tenants, and signs in with a new login that you then see here. The address is free for an account of its owner, and open invitations of the account end.`,
          confirmLabel: 'Release address',
          onConfirm: async () => {
            const { email: login } = await release.mutateAsync({ params, body: {} });
            tell(`${email} is free; the account signs in as ${login}`);
          },
        },
      },
      user.administrator
        ? {
            label: 'Remove from administrators',
            several: (users) => `Remove ${users} from administrators`,
            icon: ShieldMinus,
            danger: true,
            disabledReason: last ? 'The last administrator cannot be removed. Add another one first.' : undefined,
            confirmation: {
              title: you ? 'Leave the administrators?' : `Remove ${name} from the administrators?`,
              consequence: `${you ? 'You lose' : 'They lose'} access to the back office immediately. The account and its memberships stay.`,
              confirmLabel: you ? 'Leave' : 'Remove administrator',
              onConfirm: () => remove.mutateAsync({ params }),
            },
          }
        : {
            label: 'Make administrator',
            several: (users) => `Make ${users} administrators`,
            icon: ShieldPlus,
            disabledReason: user.email_verified
              ? undefined
              : 'Nobody has shown by a mailed link that the address is theirs.',
            confirmation: {
              title: `Make ${name} an administrator?`,
              consequence: 'They get full access to the back office: all tenants, users, limits and the audit log.',
              confirmLabel: 'Make administrator',
              onConfirm: () => grant.mutateAsync({ params }),
            },
          },
    ];
  };
}

function releaseRefusal({ administrator, email }: PlatformUser): string | undefined {
  if (administrator) return 'Remove the account from the administrators first.';
  return email.endsWith('@released.invalid') ? 'The address was released before.' : undefined;
}
