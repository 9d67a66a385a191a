'use client';

import { AlertDialog } from 'radix-ui';
import { useId, useState } from 'react';
import { Button } from '@/components/kit/ui/button';
import { Input } from '@/components/kit/ui/input';
import type { Confirmation } from './confirm';
import { ErrorNotice } from './error-notice';

interface ConfirmDialogProps {
  confirmation: Confirmation;
  open: boolean;
  close: () => void;
  returnFocus: () => void;
}

/** Says what will be destroyed before it is, and stays open with the reason when it was not. */
export function ConfirmDialog({ confirmation, open, close, returnFocus }: ConfirmDialogProps) {
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => !next && close()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-50 animate-in fade-in-0 bg-scrim duration-150 data-[state=closed]:animate-out data-[state=closed]:fade-out-0" />
        <AlertDialog.Content
          onOpenAutoFocus={(event) => {
            const field = event.target instanceof Element ? event.target.querySelector('input') : null;
            // Without a field, the focus is on Cancel.
            if (!field) return;
            event.preventDefault();
            field.focus();
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            returnFocus();
          }}
          className="fixed top-[max(5dvh,calc(40dvh-12rem))] left-1/2 z-50 max-h-[90dvh] w-[min(28rem,calc(100vw-2rem))] -translate-x-1/2 animate-in fade-in-0 zoom-in-98 overflow-y-auto rounded-xl border bg-raised p-5 shadow-dialog outline-none duration-150 data-[state=closed]:animate-out data-[state=closed]:fade-out-0"
        >
          <Question confirmation={confirmation} close={close} />
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

function Question({ confirmation, close }: { confirmation: Confirmation; close: () => void }) {
  const { title, consequence, dependants, confirmLabel, typeToConfirm, harmless = false, onConfirm } = confirmation;
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
        <div className="mt-1.5 space-y-2 text-pretty text-ink-muted text-sm">
          {consequence}
          {dependants}
        </div>
      </AlertDialog.Description>
      {typeToConfirm !== undefined && (
        <div className="mt-4 space-y-1.5">
          <label htmlFor={field} className="text-sm">
            Enter <strong className="select-all break-all font-mono font-medium text-xs">{typeToConfirm}</strong> to
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
          <ErrorNotice title="The action failed" error={error} />
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
