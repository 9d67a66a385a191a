import { CodeBlock } from '@/components/data/code-block';
import { Card } from '@/components/ui/card';

/** What a new person needs to sign in for the first time; nothing keeps it but this page. */
export function Handover({ email, password }: { email: string; password: string }) {
  return (
    <Card
      title="Hand over the first password"
      description="It is shown this once. Send it by a way that only they read, and ask them to change it."
    >
      <CodeBlock label="sign-in details" code={`E-mail          ${email}\nFirst password  ${password}`} />
    </Card>
  );
}
