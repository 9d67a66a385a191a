import nodemailer from 'nodemailer';
import { log } from '@/lib/log';
import { settings } from '@/lib/settings';

export type Message = {
  /** Stays the same when a message is sent again, so that mail programs show it once. */
  id: string;
  to: string;
  subject: string;
  text: string;
};

/** Mail that did not go out. The message is for tenants: it names nothing of the operator's network. */
export class MailError extends Error {
  override name = 'MailError';

  constructor(
    message: string,
    /** Trying again is of no use. */
    readonly final: boolean,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

const PATIENCE = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000, dnsTimeout: 10_000 };

/**
 * Hands a message to the operator's mail server (SMTP_URL). A password never crosses a network in the clear.
 * @throws MailError
 */
export async function sendMail({ id, to, subject, text }: Message): Promise<void> {
  const { smtpUrl, mailFrom, baseUrl } = settings();
  if (smtpUrl === undefined)
    throw new MailError('Mail is not configured on this platform. The operator must set it up.', true);
  const { username, hostname } = new URL(smtpUrl);
  const nearby = /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(hostname);
  const transport = nodemailer.createTransport({ url: smtpUrl, ...PATIENCE, requireTLS: username !== '' && !nearby });
  try {
    await transport.sendMail({
      from: mailFrom,
      // An object, so that no address is read as a list of them.
      to: { name: '', address: to },
      subject,
      text,
      messageId: `<${id}@${new URL(baseUrl).hostname}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  } catch (error) {
    throw mailError(error);
  } finally {
    transport.close();
  }
}

type SmtpProblem = Error & { code?: string; permanent?: boolean; response?: string };

function mailError(error: unknown): MailError {
  const { code, permanent, response }: SmtpProblem = error instanceof Error ? error : new Error(String(error));
  // Only the answer to the address or the message concerns the tenant; the rest is the operator's to see.
  if (code === 'EENVELOPE' || code === 'EMESSAGE') {
    return new MailError(
      `The mail server refused the message: ${response ?? 'no reason given'}`,
      permanent === true,
      error,
    );
  }
  log.warn({ code, response, reason: error instanceof Error ? error.message : undefined }, 'sending mail failed');
  return new MailError('The platform’s mail server could not be reached, or did not accept the message.', false, error);
}
