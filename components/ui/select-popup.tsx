'use client';

import { Check } from 'lucide-react';
import { Select as Primitive } from 'radix-ui';
import type { ReactElement } from 'react';
import type { Option } from './option';

export interface SelectPopupProps {
  options: readonly Option[];
  value: string | undefined;
  onValueChange: (value: string) => void;
}

/** The opened list of a select. */
export function SelectPopup({ trigger, options, value, onValueChange }: SelectPopupProps & { trigger: ReactElement }) {
  return (
    <Primitive.Root defaultOpen value={value ?? ''} onValueChange={onValueChange}>
      <Primitive.Trigger asChild>{trigger}</Primitive.Trigger>
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
