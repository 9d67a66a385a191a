'use client';

import { clsx } from 'clsx';
import { Popover as Primitive } from 'radix-ui';
import { type ComponentProps, use } from 'react';
import { FloatingPlace, floatingDistances } from './floating-place';

export const Popover = Primitive.Root;
export const PopoverTrigger = Primitive.Trigger;

export function PopoverContent({ className, align = 'start', ...rest }: ComponentProps<typeof Primitive.Content>) {
  return (
    <Primitive.Portal container={use(FloatingPlace)}>
      <Primitive.Content
        align={align}
        {...floatingDistances}
        className={clsx('floating outline-none', className)}
        {...rest}
      />
    </Primitive.Portal>
  );
}
