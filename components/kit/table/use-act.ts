'use client';

import { useConfirm } from '@/components/kit/page/confirm';
import { notify } from '@/components/kit/ui/notify';
import { ApiError } from '@/lib/client/errors';
import type { Action } from './row-actions';

/** Does an action with the thing of this name. A dialog shows its own failures; of others a toast tells. */
export function useAct(): (action: Action, name: string) => void {
  const confirm = useConfirm();
  return ({ label, confirmation, run, onSelect }, name) => {
    if (confirmation) confirm(confirmation);
    else if (run)
      void run().catch((error: unknown) => notifyFailure(`Could not ${label.toLowerCase()} ${name}`, error));
    else onSelect?.();
  };
}

/** A toast with the reason that the API gave. */
export function notifyFailure(title: string, error: unknown): void {
  void notify('error', title, error instanceof ApiError ? { description: error.message } : undefined);
}
