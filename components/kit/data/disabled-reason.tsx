'use client';

import { type ReactElement, useId } from 'react';
import { Slot } from '@/components/kit/ui/slot';
import { Tooltip } from '@/components/kit/ui/tooltip';

interface DisabledReasonProps {
  /** Why the control can't be used now; undefined when it can. */
  reason: string | undefined;
  children: ReactElement<Record<string, unknown>>;
}

/** A control that can't be used is shown with its reason, never hidden. It keeps its place in the keyboard's order. */
export function DisabledReason({ reason, children }: DisabledReasonProps) {
  const id = useId();
  if (!reason) return children;
  return (
    <>
      <Tooltip text={reason}>
        <Slot
          aria-disabled="true"
          aria-describedby={id}
          onClickCapture={(event) => {
            event.preventDefault();
            event.stopPropagation();
          }}
        >
          {children}
        </Slot>
      </Tooltip>
      <span id={id} className="sr-only">
        {reason}
      </span>
    </>
  );
}
