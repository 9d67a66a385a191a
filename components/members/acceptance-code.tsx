import { CodeBlock } from '@/components/data/code-block';
import { Time } from '@/components/data/time';
import { Card } from '@/components/ui/card';

export interface Acceptance {
  acceptance_code: string;
  acceptance_expires_at: string;
}

interface AcceptanceCodeProps extends Acceptance {
  email: string;
  /** What they become with it: "a member of Acme". */
  becomes: string;
}

/** The code that someone who has an account needs to join; nothing keeps it but this page. */
export function AcceptanceCode({ email, becomes, acceptance_code, acceptance_expires_at }: AcceptanceCodeProps) {
  return (
    <Card
      title="Hand over the acceptance code"
      description="It is shown this once. Give it to them in a way that only they can read."
    >
      <div className="space-y-4">
        <CodeBlock label="acceptance code" code={acceptance_code} />
        <p className="text-pretty text-ink-muted text-sm">
          {email} already has an account, so the first password is not used. They sign in with their own password, find
          the invitation among their projects, and become {becomes} with this code. It works once, until{' '}
          <Time at={acceptance_expires_at} form="exact" />. To replace it, invite them again.
        </p>
        <p className="text-pretty text-ink-muted text-sm">
          If they say that they never made an account, someone else did. They choose “Forgot password?” on the sign-in
          page; where this platform sends no mail, its administrators release the address.
        </p>
      </div>
    </Card>
  );
}
