import nodemailer from 'nodemailer';
import { log } from '@/lib/log';
import { settings } from '@/lib/settings';

export type Message = {
  /** The same on every attempt, so that mail programs show the message once. */
  id: string;
  to: string;
  subject: string;
  text: string;
};

/** A message could not be sent. The error text is for tenants and names nothing of the operator's network. */
export class MailError extends Error {
  override name = 'MailError';

  constructor(
    message: string,
    /** A retry would not help. */
    readonly final: boolean,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

const PATIENCE = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000, dnsTimeout: 10_000 };

/**
 * Sends a message through the operator's mail server (SMTP_URL). A password is never sent unencrypted.
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
      // An object, so that the address is not parsed as a list.
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
  // Tenants see only errors about the address or the message; other errors concern the operator.
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
