import { z } from 'zod';
import { roles } from '@/lib/core/api/caller';
import { displayName, email, id, newPassword, times, timestamp } from '@/lib/core/api/schemas';

/** A password to check: a malformed one is refused like any wrong one. */
const triedPassword = z.string().max(1024).meta({ format: 'password' });

/** A code of an authenticator app, or a recovery code. */
const code = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .meta({ description: 'The six digits of the authenticator app, or a recovery code.', example: '287082' });

/** A code of an authenticator app, before recovery codes exist. */
const firstCode = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .meta({ description: 'The six digits of the authenticator app.', example: '287082' });

/** A code typed by hand; a malformed one is refused like any wrong one. */
export const acceptanceCode = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .meta({ description: 'The `acceptance_code` that the inviter received.', example: 'k7wp-3mzx-90ab-cdef' });

/** The code as shown to the inviter, once. */
export const shownAcceptance = {
  acceptance_code: z.string().meta({
    description:
      'Pass it only to the invited person: an existing user signs in with their own password and joins with this code. ' +
      'Single use, valid for seven days, shown only once. A new account needs no code.',
    example: 'k7wp-3mzx-90ab-cdef',
  }),
  acceptance_expires_at: timestamp,
};

export const login = z
  .strictObject({ email, password: triedPassword, totp_code: code.optional() })
  .meta({ id: 'Login', example: { email: 'owner@demo.nephele.local', password: 'correct horse battery staple' } });
export type Login = z.output<typeof login>;

export const profile = z
  .strictObject({
    id,
    email: z.string(),
    name: z.string(),
    two_factor_enabled: z.boolean(),
    ...times,
  })
  .meta({ id: 'Profile', description: 'A person.' });
export type Profile = z.output<typeof profile>;

export const accessToken = z
  .strictObject({
    access_token: z.string().meta({ description: 'Send it as `Authorization: Bearer <access_token>`.' }),
    token_type: z.literal('Bearer'),
    expires_in: z.int().meta({ description: 'Seconds.' }),
    user: profile,
  })
  .meta({ id: 'AccessToken' });
export type AccessToken = z.output<typeof accessToken>;

export const mfaChallenge = z
  .strictObject({
    mfa_required: z.literal(true),
    challenge_token: z.string().meta({ description: 'For `POST /auth/2fa/verify`, with a code.' }),
    expires_in: z.int().meta({ description: 'Seconds.' }),
  })
  .meta({ id: 'MfaChallenge', description: 'The password is correct; an authentication code is still required.' });
export type MfaChallenge = z.output<typeof mfaChallenge>;

export const verifyCode = z
  .strictObject({
    challenge_token: z
      .string()
      .max(4096)
      .optional()
      .meta({ description: 'From a login that requires an authentication code.' }),
    code,
  })
  .meta({ id: 'VerifyCode', example: { code: '287082' } });
export type VerifyCode = z.output<typeof verifyCode>;

export const codeVerdict = z.strictObject({ valid: z.boolean() }).meta({ id: 'CodeVerdict' });

export const emptyBody = z.strictObject({}).meta({ example: {} });

export const totpKey = z
  .strictObject({
    secret: z.string().meta({ description: 'Base32, for manual entry into an authenticator app.' }),
    otpauth_uri: z.string(),
    qr_code: z.string().meta({ description: 'QR code of the URI, as a PNG data URI.' }),
  })
  .meta({ id: 'TotpKey' });

export const activateTotp = z
  .strictObject({ code: firstCode })
  .meta({ id: 'ActivateTotp', example: { code: '287082' } });

export const totpActivated = z
  .strictObject({
    enabled: z.literal(true),
    recovery_codes: z
      .array(z.string())
      .meta({ description: 'Ten single-use replacements for a code; shown only once.' }),
  })
  .meta({ id: 'TotpActivated' });

export const disableTotp = z.strictObject({ code }).meta({ id: 'DisableTotp', example: { code: '287082' } });

export const totpDisabled = z.strictObject({ enabled: z.literal(false) }).meta({ id: 'TotpDisabled' });

export const changePassword = z
  .strictObject({
    current_password: triedPassword,
    new_password: newPassword,
    revoke_tokens: z
      .boolean()
      .default(false)
      .meta({ description: 'Also revokes every API token that you created, in all projects.' }),
  })
  .meta({
    id: 'ChangePassword',
    example: { current_password: 'correct horse battery staple', new_password: 'incorrect zebra charger clip' },
  });
export type ChangePassword = z.output<typeof changePassword>;

export const requestPasswordReset = z
  .strictObject({ email })
  .meta({ id: 'RequestPasswordReset', example: { email: 'ada@acme.example' } });

export const resetPassword = z
  .strictObject({
    token: z.string().max(200).meta({ description: 'Of the mailed link: what follows its `#`.' }),
    new_password: newPassword,
  })
  .meta({
    id: 'ResetPassword',
    example: { token: 'pMfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo', new_password: 'incorrect zebra charger clip' },
  });

export const updateProfile = z
  .strictObject({ name: displayName })
  .meta({ id: 'UpdateProfile', example: { name: 'Ada Lovelace' } });

const membership = z
  .strictObject({
    project_id: id,
    project_name: z.string(),
    project_slug: z.string(),
    project_status: z.enum(['active', 'suspended']),
    role: z.enum(roles).meta({ description: 'The highest role assigned.' }),
    status: z.enum(['invited', 'active']),
    ...times,
  })
  .meta({ id: 'OwnMembership', description: 'The caller’s membership in a project.' });
export type OwnMembership = z.output<typeof membership>;

export const me = z
  .strictObject({
    type: z.enum(['user', 'token', 'workload']).meta({ description: 'The caller’s kind of credential.' }),
    id: id.meta({ description: 'Id of the user; for a token, its creator; for a workload, its identity provider.' }),
    email: z.string().nullable().meta({ description: 'Absent for workloads.' }),
    name: z.string(),
    two_factor_enabled: z.boolean(),
    recovery_codes_left: z.int(),
    memberships: z
      .array(membership)
      .meta({ description: 'Oldest first. Tokens and workloads see only their own project.' }),
    project: membership.nullable().meta({
      description: 'The project that requests act in: from `X-Project-Id`, or the oldest active membership.',
    }),
    ...times,
  })
  .meta({ id: 'Me' });
export type Me = z.output<typeof me>;

export const session = z
  .strictObject({
    id,
    kind: z.enum(['browser', 'access_token']),
    current: z.boolean().meta({ description: 'Whether this is the session of this request.' }),
    address: z.string(),
    user_agent: z.string(),
    last_seen_at: timestamp.meta({ description: 'Accurate to the minute.' }),
    expires_at: timestamp,
    ...times,
  })
  .meta({ id: 'Session', description: 'An active sign-in.' });
export type Session = z.output<typeof session>;
