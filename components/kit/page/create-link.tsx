'use client';

import { Plus } from 'lucide-react';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { Button, ButtonLink } from '@/components/kit/ui/button';
import { type OperationId, useMay } from '@/lib/client/may';

interface CreateLinkProps {
  /** "Create secret". */
  label: string;
  href: string;
  /** What the form calls: who may not call it sees why. */
  operation: OperationId;
  /** Another reason why it can't be done now. */
  disabledReason?: string | undefined;
}

/** The button that leads to a create form. Where nothing can be created, it is disabled with the reason. */
export function CreateLink({ label, href, operation, disabledReason }: CreateLinkProps) {
  const may = useMay(operation);
  const reason = may.reason ?? disabledReason;
  if (reason !== undefined) {
    return (
      <DisabledReason reason={reason}>
        <Button variant="primary">
          <Plus /> {label}
        </Button>
      </DisabledReason>
    );
  }
  return (
    <ButtonLink href={href} variant="primary">
      <Plus /> {label}
    </ButtonLink>
  );
}
