'use client';

import { CodeBlock } from '@/components/data/code-block';
import { Loaded } from '@/components/page/loaded';
import { Button, ButtonLink } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Skeleton } from '@/components/ui/skeleton';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

/** What was asked for, the password included: it is shown this once. */
export interface Added {
  email: string;
  name: string;
  password: string;
}

interface AddedUserProps {
  added: Added;
  list: string;
  another: () => void;
}

/** What to do next for someone who was added: hand over a password, or wait for them to accept. */
export function AddedUser({ added, list, another }: AddedUserProps) {
  const { api } = useProject();
  const { email } = added;
  const users = api.useQuery('get', '/api/v1/identity/users', { params: { query: { email } } });
  return (
    <div className="max-w-2xl space-y-5">
      <Loaded query={users} what="What came of it" skeleton={<Skeleton className="h-40 w-full" />}>
        {([user]) => (user?.status === 'invited' ? <Invited email={email} /> : <Created {...added} />)}
      </Loaded>
      <div className="flex flex-wrap gap-2">
        <ButtonLink href={list} variant="primary">
          Done
        </ButtonLink>
        <Button onClick={another}>Add another user</Button>
      </div>
    </div>
  );
}

function Created({ email, password }: Pick<Added, 'email' | 'password'>) {
  const address = new URL(paths.signIn(), window.location.origin);
  return (
    <Card
      title="Hand over the first password"
      description="It is shown this once. Send it by a way that only they read, and ask them to change it."
    >
      <CodeBlock label="sign-in details" code={`${address}\nE-mail          ${email}\nFirst password  ${password}`} />
    </Card>
  );
}

function Invited({ email }: { email: string }) {
  return (
    <Card title="They are invited">
      <p className="text-pretty text-ink-muted text-sm">
        {email} has an account here already, so the first password is not used. They find the invitation in the list of
        their projects when they sign in, and belong to this one once they accept.
      </p>
    </Card>
  );
}
