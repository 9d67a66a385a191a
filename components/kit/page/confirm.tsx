'use client';

import { createContext, type ReactNode, use, useCallback, useRef, useState } from 'react';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { rememberFocus } from '@/components/kit/ui/return-focus';

const ConfirmDialog = lazyComponent(() => import('./confirm-dialog').then((module) => module.ConfirmDialog));

export interface Confirmation {
  /** A question that names the thing: "Delete web-1?" */
  title: string;
  /** What goes, what stays, whether it can be undone. */
  consequence: ReactNode;
  /** What uses the thing; beside the consequence, in the question about one thing. */
  dependants?: ReactNode;
  /** The verb on the button: "Delete instance". */
  confirmLabel: string;
  /** Must be typed before: for what can't be brought back. */
  typeToConfirm?: string;
  /** For what destroys nothing, such as a reboot. */
  harmless?: boolean;
  /** Runs while the dialog is open; it closes when this is done, and shows why when it fails. */
  onConfirm: () => Promise<unknown>;
}

const ConfirmContext = createContext<((confirmation: Confirmation) => void) | undefined>(undefined);

/** Asks before something is done: `confirm({ title: 'Delete web-1?', … })`. */
export function useConfirm() {
  const confirm = use(ConfirmContext);
  if (!confirm) throw new Error('useConfirm needs a ConfirmProvider above it');
  return confirm;
}

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [confirmation, setConfirmation] = useState<Confirmation>();
  const [open, setOpen] = useState(false);
  const returnFocus = useRef<() => void>(undefined);
  const confirm = useCallback((next: Confirmation) => {
    returnFocus.current = rememberFocus();
    setConfirmation(next);
    setOpen(true);
  }, []);
  return (
    <ConfirmContext value={confirm}>
      {children}
      {confirmation && (
        <ConfirmDialog
          confirmation={confirmation}
          open={open}
          close={() => setOpen(false)}
          returnFocus={() => returnFocus.current?.()}
        />
      )}
    </ConfirmContext>
  );
}
