'use client';

import { useQueryClient } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { Time } from '@/components/kit/data/time';
import { TextField } from '@/components/kit/form/fields';
import { useSchemaForm } from '@/components/kit/form/form-shell';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Avatar } from '@/components/kit/ui/avatar';
import { Button } from '@/components/kit/ui/button';
import { roleLabel } from '@/components/members/roles';
import { ApiError } from '@/lib/client/errors';
import { useApi } from '@/lib/client/scope';
import { paths } from '@/lib/paths';
import type { Invitation } from './use-invitations';

const schema = z.object({
  code: z.string().check(z.trim(), z.minLength(1, 'Enter the acceptance code.')),
});

/** Projects to join, with the code that the inviter was given, or to decline. */
export function InvitationList({ invitations }: { invitations: readonly Invitation[] }) {
  return (
    <ul className="divide-y">
      {invitations.map((invitation) => (
        <Line key={invitation.project_id} invitation={invitation} />
      ))}
    </ul>
  );
}

function Line({ invitation }: { invitation: Invitation }) {
  const { api } = useApi();
  const store = useQueryClient();
  const accept = api.useMutation('post', '/api/v1/auth/invitations/{project_id}/accept');
  const decline = api.useMutation('post', '/api/v1/auth/invitations/{project_id}/decline');
  const form = useSchemaForm(schema, { code: '' });
  const { project_id, project_name, project_slug, roles, invited_by, created_at } = invitation;
  const params = { path: { project_id } };

  const join = form.handleSubmit(async ({ code }) => {
    try {
      await accept.mutateAsync({ params, body: { code } });
      // A full load: the list of one's projects is part of the page's frame.
      window.location.assign(paths.overview(project_slug));
    } catch (error) {
      if (isWrongCode(error)) form.setError('code', { message: WRONG_CODE }, { shouldFocus: true });
    }
  });
  const turnDown = async () => {
    await decline.mutateAsync({ params, body: {} });
    await store.invalidateQueries({ queryKey: ['get', '/api/v1/auth/invitations'] });
  };
  const error = isWrongCode(accept.error) ? decline.error : (accept.error ?? decline.error);
  return (
    <li className="py-4 first:pt-0 last:pb-0" aria-label={project_name}>
      <div className="flex items-center gap-x-4">
        <Avatar name={project_name} square className="size-8" />
        <div className="min-w-0 flex-1 text-sm">
          <p className="break-words font-medium">{project_name}</p>
          <p className="break-words text-ink-muted text-xs">
            As {roleLabel(roles[0] ?? 'reader').toLowerCase()}
            {invited_by && `, by ${invited_by}`}, <Time at={created_at} />
          </p>
        </div>
      </div>
      <form noValidate onSubmit={join} className="mt-3 max-w-md space-y-3">
        <TextField
          control={form.control}
          name="code"
          label="Acceptance code"
          description="From the person who invited you, or from the invitation mail."
          autoComplete="off"
          mono
        />
        <div className="flex gap-2">
          <Button type="submit" variant="primary" pending={accept.isPending || accept.isSuccess}>
            Join
          </Button>
          <Button pending={decline.isPending} onClick={() => void turnDown().catch(shownBelow)}>
            Decline
          </Button>
        </div>
      </form>
      {error !== null && (
        <div className="mt-3">
          <ErrorNotice title="Your response could not be sent" error={error} />
        </div>
      )}
    </li>
  );
}

const WRONG_CODE = 'This code is incorrect, expired or already used. Ask the person who invited you for a new one.';

function isWrongCode(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'INVALID_CREDENTIALS';
}

/** The failure stands in the line. */
function shownBelow(): void {}
