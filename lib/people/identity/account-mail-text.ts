import { platformPaths } from '@/lib/platform-paths';
import { settings } from '@/lib/settings';

/** Subject and text of a mail. */
export type MailText = { subject: string; text: string };

/** Collapses white space, so that a name cannot break a header or a line. */
const line = (text: string) => text.replace(/\s+/g, ' ');

const written = (...parts: string[]) => `${[...parts, line(settings().seller.name)].join('\n\n')}\n`;

/** To a person who was added to a project. No code means that the account is new. */
export function invitationText(project: string, email: string, code: string | null): MailText {
  const { baseUrl } = settings();
  const name = line(project);
  if (code === null) {
    return {
      subject: `You were added to ${name}`,
      text: written(
        `An account was created for ${email}, and it belongs to the project ${name}.`,
        `The person who added you has its first password. To choose your own: ${baseUrl}${platformPaths.forgotPassword()}`,
        `Sign in: ${baseUrl}${platformPaths.signIn()}`,
      ),
    };
  }
  return {
    subject: `You are invited to ${name}`,
    text: written(
      `You are invited to the project ${name}. Sign in as ${email} with your own password, and join with this code within seven days:`,
      code,
      `Sign in: ${baseUrl}${platformPaths.signIn()}`,
      `If you have no account here, someone created one with your address. Take it over: ${baseUrl}${platformPaths.forgotPassword()}`,
      'If you do not know the project, ignore this mail. Give the code to nobody.',
    ),
  };
}

/** To the owner of an account for which a password reset was requested. */
export function resetText(email: string, token: string): MailText {
  const { baseUrl } = settings();
  return {
    subject: 'Choose a new password',
    text: written(
      `Someone asked for a new password for ${email}. Choose it within an hour:`,
      `${baseUrl}${platformPaths.resetPassword(token)}`,
      'It ends all sessions and API tokens of the account. If it was not you, ignore this mail: nothing has changed.',
    ),
  };
}

/** To an administrator: a mailbox alone never opens the back office. */
export function administratorResetText(email: string): MailText {
  return {
    subject: 'Passwords of administrators are not reset by mail',
    text: written(
      `Someone asked for a new password for ${email}, which is an administrator of this platform.`,
      `It is reset on the host: npm run admin -- reset-password ${email}`,
      'If it was not you, ignore this mail: nothing has changed.',
    ),
  };
}
