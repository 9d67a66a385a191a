'use client';

import { Landmark } from 'lucide-react';
import { Button } from '@/components/kit/ui/button';
import { Dialog } from '@/components/kit/ui/dialog';
import { cardName } from './cards';
import type { TestCard } from './sandbox-checkout';

interface BankDialogProps {
  card: TestCard;
  /** What is asked for: "pay $25.00". */
  request: string;
  answer: (confirmed: boolean) => void;
}

/** What a cardholder's bank asks (3-D Secure). Leaving it is an answer too: no. */
export function BankDialog({ card, request, answer }: BankDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={(open) => open || answer(false)}
      size="sm"
      title="Confirm with your bank"
      description="Sandbox test: no bank is involved and no money moves."
    >
      <div className="flex gap-3">
        <span className="grid size-9 shrink-0 place-items-center rounded-md border bg-sunken text-ink-muted">
          <Landmark className="size-4" aria-hidden="true" />
        </span>
        <p className="text-pretty text-sm">
          Nephele asks to <strong className="font-medium">{request}</strong> with your {cardName(card)}. Is this you?
        </p>
      </div>
      <div className="mt-6 flex flex-wrap justify-end gap-2">
        <Button onClick={() => answer(false)}>Decline</Button>
        <Button variant="primary" onClick={() => answer(true)}>
          Yes, confirm
        </Button>
      </div>
    </Dialog>
  );
}
