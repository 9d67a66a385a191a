import { CodeBlock } from '@/components/kit/data/code-block';
import { Time } from '@/components/kit/data/time';
import { Card } from '@/components/kit/ui/card';

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
      title="Share the acceptance code"
      description="It will not be shown again. Share it in a way that only the user can read."
    >
      <div className="space-y-4">
        <CodeBlock label="acceptance code" code={acceptance_code} />
        <p className="text-pretty text-ink-muted text-sm">
          {email} already has an account, so the initial password is not used. They sign in with their own password,
          open the invitation and become {becomes} with this code. It works once, until{' '}
          <Time at={acceptance_expires_at} form="exact" />. To replace it, invite them again.
        </p>
        <p className="text-pretty text-ink-muted text-sm">
          If they never created an account, someone else did. They can reclaim it with “Forgot password?” on the sign-in
          page, or, if this platform sends no mail, ask its administrators to release the address.
        </p>
      </div>
    </Card>
  );
}
