'use client';

import { clsx } from 'clsx';
import { Check, ChevronDown } from 'lucide-react';
import { Select as Primitive } from 'radix-ui';
import type { ComponentProps } from 'react';
import { control } from './input';

export interface SelectOption {
  value: string;
  label: string;
  /** A second line that helps to choose. */
  description?: string;
  /** Why it can't be chosen now. */
  disabledReason?: string;
}

interface SelectProps extends Omit<ComponentProps<typeof Primitive.Trigger>, 'value' | 'onChange'> {
  options: readonly SelectOption[];
  value: string | undefined;
  onValueChange: (value: string) => void;
  placeholder?: string;
}

export function Select({ options, value, onValueChange, placeholder = 'Choose…', className, ...rest }: SelectProps) {
  return (
    <Primitive.Root value={value ?? ''} onValueChange={onValueChange}>
      <Primitive.Trigger
        className={clsx(
          control,
          'flex h-8 items-center justify-between gap-2 text-left data-placeholder:text-ink-subtle pointer-coarse:h-10',
          className,
        )}
        {...rest}
      >
        <span className="truncate">
          <Primitive.Value placeholder={placeholder} />
        </span>
        <ChevronDown className="size-4 shrink-0 text-ink-subtle" aria-hidden="true" />
      </Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          position="popper"
          sideOffset={4}
          className="floating max-h-(--radix-select-content-available-height) min-w-(--radix-select-trigger-width) overflow-y-auto p-1"
        >
          <Primitive.Viewport>
            {options.map((option) => (
              <Primitive.Item
                key={option.value}
                value={option.value}
                disabled={option.disabledReason !== undefined}
                className="floating-item pr-8"
              >
                <span className="flex flex-col">
                  <Primitive.ItemText>{option.label}</Primitive.ItemText>
                  {(option.disabledReason ?? option.description) && (
                    <span className="text-ink-subtle text-xs">{option.disabledReason ?? option.description}</span>
                  )}
                </span>
                <Primitive.ItemIndicator className="absolute right-2">
                  <Check className="size-4 text-accent" />
                </Primitive.ItemIndicator>
              </Primitive.Item>
            ))}
          </Primitive.Viewport>
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
