/** Project roles in ascending order: each includes the ones before it (api conventions, section 3). */
export const roles = ['reader', 'member', 'admin'] as const;
export type Role = (typeof roles)[number];

/** The lower of two roles. */
export function lesserRole(a: Role, b: Role): Role {
  return roles.indexOf(a) < roles.indexOf(b) ? a : b;
}

/** Whether `role` includes `needed`. */
export function includesRole(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

export type ProjectStatus = 'active' | 'suspended';

/** The project that a request acts in, and the caller's role there. */
export type Membership = {
  project_id: string;
  project_status: ProjectStatus;
  role: Role;
  /** Where the statement that checked the credential has read it (docs/decisions/0152). */
  functions_epoch?: number;
};

/** A signed-in person, identified by an access token of `POST /auth/login` or by the portal's cookie. */
export type Person = {
  kind: 'user';
  user_id: string;
  email: string;
  name: string;
  session_id: string;
  /** A cookie needs a same-origin proof on changing requests; a bearer token does not. */
  via: 'bearer' | 'cookie';
  /** The password was chosen by someone else. */
  initial_password: boolean;
  membership: Membership | null;
};

/** A script with an API token. Its role is the lower of the token's role and its creator's. */
type TokenHolder = { kind: 'token'; token_id: string; name: string; user_id: string; membership: Membership };

/** A workload with short-lived credentials of `POST /iam/sts/assume-role` that expire at `expires_at`. */
export type Workload = {
  kind: 'workload';
  provider_id: string;
  subject: string;
  expires_at: Date;
  membership: Membership;
};

/** A platform administrator in the back office. */
export type Administrator = {
  kind: 'administrator';
  user_id: string;
  email: string;
  name: string;
  session_id: string;
  via: 'bearer' | 'cookie';
  /** The password was chosen by someone else. */
  initial_password: boolean;
  /** Whether a second factor is set up; the operator can require one. */
  second_factor: boolean;
};

export type Caller = Person | TokenHolder | Workload | Administrator;

/** Whether the caller must first replace an initial password. Only browser sessions must: a program cannot. */
export function mustChangePassword(caller: Caller | undefined): boolean {
  const person = caller?.kind === 'user' || caller?.kind === 'administrator' ? caller : undefined;
  return person?.via === 'cookie' && person.initial_password;
}

/** A stable key per caller: a person has the same key across tokens and sessions. */
export function callerKey(caller: Caller): string {
  switch (caller.kind) {
    case 'user':
      return `user:${caller.user_id}:${caller.membership?.project_id ?? ''}`;
    case 'token':
      return `token:${caller.token_id}`;
    case 'workload':
      return `workload:${caller.provider_id}:${caller.subject}`;
    case 'administrator':
      return `administrator:${caller.user_id}`;
  }
}
