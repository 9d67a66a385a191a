'use client';

import { Tooltip as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';

export const TooltipProvider = Primitive.Provider;

interface TooltipProps {
  /** What it says. Nothing to say, nothing shown. */
  text: ReactNode;
  side?: 'top' | 'right' | 'bottom' | 'left';
  children: ReactNode;
}

/** More about one element, on hover and on focus. Never the only place of something that must be known. */
export function Tooltip({ text, side = 'top', children }: TooltipProps) {
  if (!text) return children;
  return (
    <Primitive.Root>
      <Primitive.Trigger asChild>{children}</Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          side={side}
          sideOffset={5}
          collisionPadding={8}
          className="dark-island z-60 max-w-72 animate-in fade-in-0 rounded-md border bg-raised px-2 py-1 text-ink text-xs shadow-raised duration-100"
        >
          {text}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
