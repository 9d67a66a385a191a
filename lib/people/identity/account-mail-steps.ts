import { open } from '@/lib/core/crypto/seal';
import { queryOne } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import { MailError, sendMail } from '@/lib/core/mail/send';
import { done, failure, platformOperationSteps } from '@/lib/core/operations/steps';
import { ifAdmitted } from '@/lib/core/quota/commit';
import { findByEmail } from './account';
import { placeOf, sendAccountMail } from './account-mail';
import { administratorResetText, invitationText, type MailText, resetText } from './account-mail-text';
import { newResetLink } from './password-reset';

type Mail = { id: string; kind: 'invitation' | 'password_reset'; email: string; code: Buffer | null; project: string };

async function readMail(id: string): Promise<Mail | undefined> {
  return queryOne<Mail>(sql`
    SELECT m.id, m.kind, m.email, m.code, coalesce(p.name, '') AS project
    FROM account_mails m LEFT JOIN projects p ON p.id = m.project_id WHERE m.id = ${id}::uuid`);
}

/** Undefined if there is no recipient. */
async function textOf({ id, kind, email, code, project }: Mail): Promise<MailText | undefined> {
  if (kind === 'invitation') return invitationText(project, email, code && open(code, placeOf(id)).toString());
  const account = await findByEmail(email, 'tenant');
  if (!account) return undefined;
  return account.administrator ? administratorResetText(email) : resetText(email, await newResetLink(account.id));
}

/** Erases the code once the mail is sent or given up. */
const forgotten = (id: string): Record<string, Sql> => ({
  code_forgotten: sql`UPDATE account_mails SET code = NULL FROM ${ifAdmitted} AND account_mails.id = ${id}::uuid`,
});

/** The worker's steps. Each attempt at a reset mails a new link, and all links work until one is used. */
export const accountMailSteps = platformOperationSteps(
  sendAccountMail,
  {
    async send({ operation }) {
      const mail = await readMail(operation.resource_id);
      const text = mail && (await textOf(mail));
      if (!mail || !text) return done({ log: 'No account has this e-mail address; nothing was sent.' });
      try {
        await sendMail({ id: mail.id, to: mail.email, ...text });
      } catch (error) {
        if (error instanceof MailError && error.final) return failure(error.message);
        throw error;
      }
      return done({ rows: forgotten(mail.id) });
    },
  },
  { failed: async ({ operation }) => done({ rows: forgotten(operation.resource_id) }), concurrency: 4 },
);
