'use client';

import { useQueryClient } from '@tanstack/react-query';
import { Time } from '@/components/data/time';
import { roleLabel } from '@/components/members/roles';
import { ErrorNotice } from '@/components/page/error-notice';
import { Avatar } from '@/components/ui/avatar';
import { Button } from '@/components/ui/button';
import { useApi } from '@/lib/client/scope';
import { paths } from '@/lib/paths';
import type { Invitation } from './use-invitations';

/** Projects to join or to decline. */
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
  const { project_id, project_name, project_slug, roles, invited_by, created_at } = invitation;
  const answer = { params: { path: { project_id } }, body: {} };
  const error = accept.error ?? decline.error;

  const join = async () => {
    await accept.mutateAsync(answer);
    // A full load: the list of one's projects is part of the page's frame.
    window.location.assign(paths.overview(project_slug));
  };
  const turnDown = async () => {
    await decline.mutateAsync(answer);
    await store.invalidateQueries({ queryKey: ['get', '/api/v1/auth/invitations'] });
  };
  return (
    <li className="py-3 first:pt-0 last:pb-0" aria-label={project_name}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2.5">
        <Avatar name={project_name} square className="size-8" />
        <div className="min-w-40 flex-1 text-sm">
          <p className="break-words font-medium">{project_name}</p>
          <p className="break-words text-ink-muted text-xs">
            As {roleLabel(roles[0] ?? 'reader').toLowerCase()}
            {invited_by && `, by ${invited_by}`}, <Time at={created_at} />
          </p>
        </div>
        <div className="flex gap-2">
          <Button pending={decline.isPending} onClick={() => void turnDown().catch(shownBelow)}>
            Decline
          </Button>
          <Button
            variant="primary"
            pending={accept.isPending || accept.isSuccess}
            onClick={() => void join().catch(shownBelow)}
          >
            Join
          </Button>
        </div>
      </div>
      {error !== null && (
        <div className="mt-3">
          <ErrorNotice title="Your answer did not arrive" error={error} />
        </div>
      )}
    </li>
  );
}

/** The failure stands in the line. */
function shownBelow(): void {}
