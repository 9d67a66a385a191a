import { z } from 'zod';
import { profile, verifyCode } from '@/lib/people/identity/auth-schema';

/** A new browser session; its token is only in the HttpOnly cookie. */
export const pageSession = z
  .strictObject({ expires_in: z.int().meta({ description: 'Seconds.' }), user: profile })
  .meta({ id: 'AdministratorPageSession' });
export type PageSession = z.output<typeof pageSession>;

export const answerChallenge = verifyCode
  .required({ challenge_token: true })
  .meta({ id: 'AnswerChallenge', example: { challenge_token: 'eyJhbGciOiJIUzI1NiJ9.e30.sig', code: '287082' } });

export const administratorProfile = profile
  .extend({
    recovery_codes_left: z.int(),
    second_factor_required: z
      .boolean()
      .meta({ description: 'Without two-factor authentication, only `/auth` is accessible.' }),
  })
  .meta({ id: 'AdministratorProfile' });
export type AdministratorProfile = z.output<typeof administratorProfile>;
