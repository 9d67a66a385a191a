'use client';

import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

/**
 * Leaves for a page of the payment processor. The sandbox's is a page of this site: it is opened under the name by which
 * this site is being read, since the session belongs to that name.
 */
export function useHostedPages() {
  const { project, api } = useProject();
  const topUp = api.useMutation('post', '/api/v1/billing/checkout-session');
  const card = api.useMutation('post', '/api/v1/billing/card-session');
  const leave = ({ id, url }: { id: string; url: string }): Promise<never> => {
    const sandbox = paths.checkout(project.id, id);
    window.location.assign(new URL(url).pathname === sandbox ? sandbox : url);
    // Going back may show this page as it was left, at work: it is read afresh.
    window.addEventListener('pageshow', ({ persisted }) => persisted && window.location.reload());
    // The page is on its way out: whatever waits for it goes on waiting, and shows so.
    return new Promise(() => {});
  };
  return {
    error: topUp.error ?? card.error,
    payFor: async (amount_usd: number) => leave(await topUp.mutateAsync({ body: { amount_usd } })),
    saveCard: async () => leave(await card.mutateAsync({ body: {} })),
  };
}

/** The part of an address of this site that counts whatever name the site is read by. */
export function placeOf(url: string): string {
  const { pathname, search, hash } = new URL(url);
  return `${pathname}${search}${hash}`;
}
