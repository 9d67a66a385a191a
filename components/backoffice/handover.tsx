import { CodeBlock } from '@/components/kit/data/code-block';
import { Card } from '@/components/kit/ui/card';

/** What a new person needs to sign in for the first time; nothing keeps it but this page. */
export function Handover({ email, password }: { email: string; password: string }) {
  return (
    <Card
      title="Share the initial password"
      description="It will not be shown again. Share it in a way that only the user can read, and ask them to change it."
    >
      <CodeBlock label="sign-in details" code={`E-mail          ${email}\nInitial password  ${password}`} />
    </Card>
  );
}
