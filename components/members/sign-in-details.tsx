import { CodeBlock } from '@/components/kit/data/code-block';
import { Card } from '@/components/kit/ui/card';

interface SignInDetailsProps {
  /** The sign-in page. */
  address: string;
  email: string;
  password: string;
}

/** Address, e-mail and initial password for the first sign-in. The password is stored nowhere else. */
export function SignInDetails({ address, email, password }: SignInDetailsProps) {
  return (
    <Card
      title="Share the initial password"
      description="It will not be shown again. Share it in a way that only the user can read. They choose their own at the first sign-in."
    >
      <CodeBlock label="sign-in details" code={`${address}\nE-mail          ${email}\nInitial password  ${password}`} />
    </Card>
  );
}
