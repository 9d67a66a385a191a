'use client';

import { clsx } from 'clsx';
import { X } from 'lucide-react';
import { Dialog as Primitive } from 'radix-ui';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { Button } from './button';
import { FloatingPlace } from './floating-place';
import { rememberFocus } from './return-focus';

interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  description?: ReactNode;
  /** `sheet` slides in from the right, for what is long; `drawer` from the left, for the phone's navigation. */
  form?: 'dialog' | 'sheet' | 'drawer';
  size?: 'sm' | 'md' | 'lg';
  /** The title is there for assistive technology only. */
  titleHidden?: boolean;
  /** Moves the focus when it closes. Without, what had the focus before gets it back. */
  moveFocus?: (() => void) | undefined;
  children: ReactNode;
}

const forms = {
  dialog: clsx(
    'top-[max(5dvh,calc(40dvh-16rem))] left-1/2 max-h-[90dvh] -translate-x-1/2 rounded-xl',
    'data-[state=open]:zoom-in-98 data-[state=open]:fade-in-0 data-[state=closed]:fade-out-0',
  ),
  sheet: clsx(
    'inset-y-0 right-0 h-dvh border-y-0 border-r-0',
    'data-[state=open]:slide-in-from-right-8 data-[state=open]:fade-in-0 data-[state=closed]:fade-out-0',
  ),
  drawer: clsx(
    'inset-y-0 left-0 h-dvh border-y-0 border-l-0',
    'data-[state=open]:slide-in-from-left-8 data-[state=open]:fade-in-0 data-[state=closed]:fade-out-0',
  ),
} as const;

const widths = {
  sm: 'w-[min(26rem,calc(100vw-2rem))]',
  md: 'w-[min(34rem,calc(100vw-2rem))]',
  lg: 'w-[min(52rem,calc(100vw-2rem))]',
} as const;

/**
 * Something the reader must finish or leave before going on. Focus is kept inside, begins at the field with
 * `data-autofocus`, and is given back afterwards.
 */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  form = 'dialog',
  size = 'md',
  titleHidden = false,
  moveFocus,
  children,
}: DialogProps) {
  const [content, setContent] = useState<HTMLElement | null>(null);
  const returnFocus = useRef<() => void>(undefined);
  // Before the content exists: a field with `autoFocus` takes the focus as soon as it does.
  useLayoutEffect(() => {
    if (open) returnFocus.current = rememberFocus();
  }, [open]);
  return (
    <Primitive.Root open={open} onOpenChange={onOpenChange}>
      <Primitive.Portal>
        <Primitive.Overlay className="fixed inset-0 z-50 animate-in fade-in-0 bg-scrim duration-150 data-[state=closed]:animate-out data-[state=closed]:fade-out-0" />
        <Primitive.Content
          ref={setContent}
          aria-describedby={description ? undefined : ''}
          onOpenAutoFocus={(event) => {
            const field = event.target instanceof Element ? event.target.querySelector('[data-autofocus]') : null;
            // Without one, the focus is on the first control.
            if (!(field instanceof HTMLElement)) return;
            event.preventDefault();
            field.focus();
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            (moveFocus ?? returnFocus.current)?.();
          }}
          className={clsx(
            'fixed z-50 flex animate-in flex-col border bg-raised shadow-dialog outline-none duration-150 ease-settle data-[state=closed]:animate-out',
            forms[form],
            form === 'drawer' ? 'w-[min(18rem,85vw)]' : widths[size],
          )}
        >
          {titleHidden ? (
            <Primitive.Title className="sr-only">{title}</Primitive.Title>
          ) : (
            <header className="flex items-start justify-between gap-4 border-b px-5 pt-4 pb-3.5">
              <div className="min-w-0">
                <Primitive.Title className="font-semibold text-lg tracking-[-0.01em]">{title}</Primitive.Title>
                {description && (
                  <Primitive.Description className="mt-0.5 text-ink-muted text-sm">{description}</Primitive.Description>
                )}
              </div>
              <Primitive.Close asChild>
                <Button variant="quiet" size="icon-sm" aria-label="Close" className="-mt-0.5 -mr-1.5">
                  <X />
                </Button>
              </Primitive.Close>
            </header>
          )}
          <div className={clsx('min-h-0 flex-1 overflow-y-auto', !titleHidden && form !== 'drawer' && 'p-5')}>
            <FloatingPlace value={content}>{children}</FloatingPlace>
          </div>
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
