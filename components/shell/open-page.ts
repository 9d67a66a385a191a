'use client';

import { useRouter } from 'next/navigation';
import { useCallback } from 'react';
import { useConfirm } from '@/components/kit/page/confirm';
import { hasUnsaved } from '@/components/kit/page/unsaved';

/** Opens a page, after a question where unsaved input would be lost. */
export function useOpenPage(): (href: string) => void {
  const router = useRouter();
  const confirmLoss = useConfirmLoss();
  return useCallback(
    (href) => (hasUnsaved() ? confirmLoss(() => router.push(href)) : router.push(href)),
    [router, confirmLoss],
  );
}

/** Asks whether unsaved input may be discarded, then leaves. */
export function useConfirmLoss(): (leave: () => void) => void {
  const confirm = useConfirm();
  return useCallback(
    (leave) =>
      confirm({
        title: 'Discard unsaved changes?',
        consequence: 'Your input on this page has not been saved.',
        confirmLabel: 'Discard changes',
        onConfirm: async () => leave(),
      }),
    [confirm],
  );
}

/** The link that a click opens in this tab and on this site, if any. */
export function openedLink(event: MouseEvent): HTMLAnchorElement | undefined {
  const { target, button, metaKey, ctrlKey, shiftKey, altKey } = event;
  if (event.defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return undefined;
  const link = target instanceof Element ? target.closest('a') : null;
  const elsewhere = !link?.href || link.origin !== window.location.origin || link.hasAttribute('download');
  return elsewhere || (link.target !== '' && link.target !== '_self') ? undefined : link;
}
