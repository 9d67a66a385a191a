'use client';

import { useEffect } from 'react';
import { hasUnsaved } from '@/components/kit/page/unsaved';
import { openedLink, useConfirmLoss, useOpenPage } from './open-page';

/**
 * Asks before a link, the back button or closing the tab discards unsaved input. Browsers without the Navigation API do
 * not let a page keep the back button from leaving.
 */
export function LeaveGuard() {
  const openPage = useOpenPage();
  const confirmLoss = useConfirmLoss();

  useEffect(() => {
    const losesInput = (address: string) => hasUnsaved() && new URL(address).pathname !== window.location.pathname;
    const onClick = (event: MouseEvent) => {
      const link = openedLink(event);
      if (!link || link.dataset.discards !== undefined || !losesInput(link.href)) return;
      event.preventDefault();
      openPage(link.pathname + link.search + link.hash);
    };
    const onUnload = (event: BeforeUnloadEvent) => {
      if (hasUnsaved()) event.preventDefault();
    };
    let confirmed = false;
    const onNavigate = (event: NavigateEvent) => {
      if (confirmed) {
        confirmed = false;
        return;
      }
      const { navigationType, destination, cancelable } = event;
      if (navigationType !== 'traverse' || !cancelable || !losesInput(destination.url)) return;
      event.preventDefault();
      confirmLoss(() => {
        confirmed = true;
        window.navigation.traverseTo(destination.key);
      });
    };
    const navigation = 'navigation' in window ? window.navigation : undefined;
    document.addEventListener('click', onClick, true);
    window.addEventListener('beforeunload', onUnload);
    navigation?.addEventListener('navigate', onNavigate);
    return () => {
      document.removeEventListener('click', onClick, true);
      window.removeEventListener('beforeunload', onUnload);
      navigation?.removeEventListener('navigate', onNavigate);
    };
  }, [openPage, confirmLoss]);
  return null;
}
