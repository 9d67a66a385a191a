'use client';

import { clsx } from 'clsx';
import { Check } from 'lucide-react';
import { DropdownMenu as Primitive } from 'radix-ui';
import { type ComponentProps, type ReactNode, use } from 'react';
import { FloatingPlace, floatingDistances } from './floating-place';

/** Not modal: the page behind it stays readable for everyone, and scrolls. */
export function Menu(props: ComponentProps<typeof Primitive.Root>) {
  return <Primitive.Root modal={false} {...props} />;
}

export const MenuTrigger = Primitive.Trigger;
export const MenuRadioGroup = Primitive.RadioGroup;

export function MenuContent({ className, align = 'end', ...rest }: ComponentProps<typeof Primitive.Content>) {
  return (
    <Primitive.Portal container={use(FloatingPlace)}>
      <Primitive.Content
        align={align}
        {...floatingDistances}
        className={clsx('floating min-w-44 max-w-80 p-1', className)}
        {...rest}
      />
    </Primitive.Portal>
  );
}

interface MenuItemProps extends ComponentProps<typeof Primitive.Item> {
  danger?: boolean;
  /** Why it can't be used now. The item stays in reach of the keyboard, so that the reason does too. */
  disabledReason?: string | undefined;
}

export function MenuItem({ danger = false, disabledReason, children, onSelect, className, ...rest }: MenuItemProps) {
  if (disabledReason) {
    return (
      <Primitive.Item
        aria-disabled="true"
        className={clsx('floating-item flex-wrap gap-y-0 text-ink-subtle', className)}
        onSelect={(event) => event.preventDefault()}
      >
        {children}
        <span className="w-full text-pretty text-xs">{disabledReason}</span>
      </Primitive.Item>
    );
  }
  return (
    <Primitive.Item
      className={clsx('floating-item', danger && 'text-critical-ink data-highlighted:bg-critical-soft', className)}
      onSelect={onSelect}
      {...rest}
    >
      {children}
    </Primitive.Item>
  );
}

export function MenuRadioItem({ children, ...rest }: ComponentProps<typeof Primitive.RadioItem>) {
  return (
    <Primitive.RadioItem className="floating-item pr-8" {...rest}>
      {children}
      <Primitive.ItemIndicator className="absolute right-2">
        <Check className="size-4 text-accent" />
      </Primitive.ItemIndicator>
    </Primitive.RadioItem>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <Primitive.Label className="px-2 py-1 text-ink-subtle text-xs">{children}</Primitive.Label>;
}

export function MenuSeparator() {
  return <Primitive.Separator className="-mx-1 my-1 border-t" />;
}
