import { Plus } from 'lucide-react';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { Button, ButtonLink } from '@/components/kit/ui/button';

interface CreateLinkProps {
  /** "Create secret". */
  label: string;
  href: string;
  /** Why it can't be done now; absent when it can. */
  disabledReason?: string | undefined;
}

/** The button that leads to a create form; without the right to create it stays, and says why it does nothing. */
export function CreateLink({ label, href, disabledReason }: CreateLinkProps) {
  if (disabledReason !== undefined) {
    return (
      <DisabledReason reason={disabledReason}>
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
