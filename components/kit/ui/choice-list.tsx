import { Check } from 'lucide-react';
import type { ComponentProps } from 'react';
import type { Option } from './option';
import { PopoverTrigger } from './popover';

/** A trigger that also opens its list with the up and down arrow keys. */
export function ChoiceListTrigger({ onOpen, ...rest }: ComponentProps<typeof PopoverTrigger> & { onOpen: () => void }) {
  return (
    <PopoverTrigger
      asChild
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
        event.preventDefault();
        onOpen();
      }}
      {...rest}
    />
  );
}

/** The label and description of an option, with a check mark if it is the chosen one. */
export function OptionText({ option, chosen }: { option: Option; chosen: boolean }) {
  const below = option.disabledReason ?? option.description;
  return (
    <>
      <span className="flex min-w-0 flex-col">
        <span className="break-words">{option.label}</span>
        {below && <span className="break-words text-ink-subtle text-xs">{below}</span>}
      </span>
      {chosen && <Check className="absolute right-2 text-accent" aria-hidden="true" />}
    </>
  );
}
