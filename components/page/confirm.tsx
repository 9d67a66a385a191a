'use client';

import { AlertDialog } from 'radix-ui';
import { createContext, type ReactNode, use, useCallback, useId, useRef, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Input } from '@/components/ui/input';
import { ErrorNotice } from './error-notice';

export interface Confirmation {
  /** A question that names the thing: "Delete web-1?" */
  title: string;
  /** What goes, what stays, whether it can be undone. */
  consequence: ReactNode;
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
  // A menu that opened the dialog is gone when it closes: focus then returns to the page, not to nowhere.
  const opener = useRef<HTMLElement | null>(null);
  const confirm = useCallback((next: Confirmation) => {
    opener.current = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    setConfirmation(next);
    setOpen(true);
  }, []);
  return (
    <ConfirmContext value={confirm}>
      {children}
      {confirmation && (
        <AlertDialog.Root open={open} onOpenChange={setOpen}>
          <AlertDialog.Portal>
            <AlertDialog.Overlay className="fixed inset-0 z-50 animate-in fade-in-0 bg-scrim duration-150 data-[state=closed]:animate-out data-[state=closed]:fade-out-0" />
            <AlertDialog.Content
              onCloseAutoFocus={(event) => {
                event.preventDefault();
                const target = opener.current?.isConnected ? opener.current : document.getElementById('page-title');
                target?.focus();
              }}
              className="fixed top-[max(5dvh,calc(40dvh-12rem))] left-1/2 z-50 max-h-[90dvh] w-[min(28rem,calc(100vw-2rem))] -translate-x-1/2 animate-in fade-in-0 zoom-in-98 overflow-y-auto rounded-xl border bg-raised p-5 shadow-dialog outline-none duration-150 data-[state=closed]:animate-out data-[state=closed]:fade-out-0"
            >
              <Question confirmation={confirmation} close={() => setOpen(false)} />
            </AlertDialog.Content>
          </AlertDialog.Portal>
        </AlertDialog.Root>
      )}
    </ConfirmContext>
  );
}

function Question({ confirmation, close }: { confirmation: Confirmation; close: () => void }) {
  const { title, consequence, confirmLabel, typeToConfirm, harmless = false, onConfirm } = confirmation;
  const [typed, setTyped] = useState('');
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const field = useId();
  const ready = typeToConfirm === undefined || typed === typeToConfirm;

  const run = async () => {
    setPending(true);
    setError(undefined);
    try {
      await onConfirm();
      close();
    } catch (failure) {
      setError(failure);
    } finally {
      setPending(false);
    }
  };

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (ready && !pending) void run();
      }}
    >
      <AlertDialog.Title className="break-words font-semibold text-lg tracking-[-0.01em]">{title}</AlertDialog.Title>
      <AlertDialog.Description asChild>
        <div className="mt-1.5 space-y-2 text-pretty text-ink-muted text-sm">{consequence}</div>
      </AlertDialog.Description>
      {typeToConfirm !== undefined && (
        <div className="mt-4 space-y-1.5">
          <label htmlFor={field} className="text-sm">
            Type <strong className="select-all break-all font-mono font-medium text-xs">{typeToConfirm}</strong> to
            confirm
          </label>
          <Input
            id={field}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
        </div>
      )}
      {error !== undefined && (
        <div className="mt-4">
          <ErrorNotice title="That did not work" error={error} />
        </div>
      )}
      <div className="mt-5 flex justify-end gap-2">
        <AlertDialog.Cancel asChild>
          <Button>Cancel</Button>
        </AlertDialog.Cancel>
        <Button type="submit" variant={harmless ? 'primary' : 'danger'} disabled={!ready} pending={pending}>
          {confirmLabel}
        </Button>
      </div>
    </form>
  );
}
