'use client';

import { Loaded } from '@/components/kit/page/loaded';
import { Button, ButtonLink } from '@/components/kit/ui/button';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { type Acceptance, AcceptanceCode } from './acceptance-code';
import { roleLabel } from './roles';
import { SignInDetails } from './sign-in-details';

/** The result of adding a user, with the initial password and the acceptance code, which are shown only once. */
export interface Added extends Acceptance {
  email: string;
  name: string;
  password: string;
}

interface AddedUserProps {
  added: Added;
  list: string;
  another: () => void;
}

/** What to do next for someone who was added: hand over a password, or the code that accepting needs. */
export function AddedUser({ added, list, another }: AddedUserProps) {
  const { api, project } = useProject();
  const { email } = added;
  const users = api.useQuery('get', '/api/v1/identity/users', { params: { query: { email } } });
  return (
    <div className="max-w-2xl space-y-5">
      <Loaded query={users} what="The user" skeleton={<Skeleton className="h-40 w-full" />}>
        {([user]) =>
          user?.status === 'invited' ? (
            <AcceptanceCode
              {...added}
              becomes={`a ${roleLabel(user.roles[0] ?? 'reader').toLowerCase()} of ${project.name}`}
            />
          ) : (
            <Created {...added} />
          )
        }
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
  return <SignInDetails address={address.href} email={email} password={password} />;
}
