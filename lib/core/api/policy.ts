import { settings } from '@/lib/settings';
import { type Caller, includesRole } from './caller';
import type { ErrorCode } from './errors';

/**
 * Who may call an endpoint (api conventions, section 3):
 * - `public`: anyone
 * - `person`: a signed-in person, for their own account
 * - `project_person`: a signed-in person in a project of theirs
 * - `any`: any credential, with or without a project
 * - `reader`, `member`, `admin`: that role in the project
 * - `administrator`: the back office
 * - `administrator_account`: an administrator's own account, also before they set up a required second factor
 */
export type Access =
  | 'public'
  | 'person'
  | 'project_person'
  | 'any'
  | 'reader'
  | 'member'
  | 'admin'
  | 'administrator'
  | 'administrator_account';

/** Access to resources of the project, as opposed to the caller's own account. */
export const inProject: ReadonlySet<Access> = new Set(['reader', 'member', 'admin', 'project_person']);

export type Decision =
  | { allowed: true; reason: string; matched: string[] }
  | { allowed: false; code: ErrorCode; reason: string; matched: string[] };

/** The facts about a caller that a decision depends on. */
export type Subject = Pick<Caller, 'kind'> & {
  membership?: { role: 'reader' | 'member' | 'admin'; project_status: 'active' | 'suspended' } | null;
  second_factor?: boolean;
};

/**
 * Decides whether a subject has access. Real requests and `POST /iam/simulate` (spec 5.5) both use it, so that they
 * cannot disagree. `undefined` is a caller without credentials.
 */
export function decide(subject: Subject | undefined, access: Access): Decision {
  const matched = [`access:${access}`];
  const deny = (code: ErrorCode, reason: string): Decision => ({ allowed: false, code, reason, matched });
  const allow = (reason: string): Decision => ({ allowed: true, reason, matched });

  if (access === 'public') return allow('The endpoint is open to everyone.');
  if (!subject) return deny('UNAUTHENTICATED', 'Send a valid credential: `Authorization: Bearer <token>`.');
  matched.push(`caller:${subject.kind}`);

  const isBackOffice = access === 'administrator' || access === 'administrator_account';
  if (isBackOffice !== (subject.kind === 'administrator')) {
    return deny(
      'UNAUTHENTICATED',
      'This credential is not valid here: the tenant API and the back office use separate sign-ins.',
    );
  }
  if (isBackOffice) {
    const awaited = access === 'administrator' && settings().adminRequireTotp && !subject.second_factor;
    return awaited
      ? deny(
          'FORBIDDEN',
          'Administrators must use two-factor authentication. Set it up first: /auth/2fa/setup, then /auth/2fa/activate.',
        )
      : allow('The caller is a platform administrator.');
  }
  if ((access === 'person' || access === 'project_person') && subject.kind !== 'user') {
    return deny('FORBIDDEN', 'Only a signed-in user may do this; tokens may not.');
  }
  if (access === 'person') return allow('Signed-in users manage their own account.');
  const { membership } = subject;
  // A person may have projects besides the suspended one; a token has only one.
  if (access === 'any' && subject.kind === 'user') return allow('Any valid credential may do this.');
  if (!membership) return deny('FORBIDDEN', 'You are not a member of any project. Ask a project admin for a role.');
  matched.push(`role:${membership.role}`, `project:${membership.project_status}`);
  if (membership.project_status === 'suspended') {
    return deny('TENANT_SUSPENDED', 'The project is suspended. Contact your platform administrator.');
  }
  if (access === 'any') return allow('Any valid credential may do this.');
  if (access === 'project_person') return allow('Project members may do this for themselves.');
  return includesRole(membership.role, access)
    ? allow(`The role ${membership.role} includes ${access}.`)
    : deny('FORBIDDEN', `Requires the ${access} role; the caller has the ${membership.role} role.`);
}
