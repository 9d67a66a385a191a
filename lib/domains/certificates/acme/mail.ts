import { now } from '@/lib/clock';
import { newId } from '@/lib/core/db/id';
import { query, queryOne } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { MailError, sendMail } from '@/lib/core/mail/send';
import { operationInsert } from '@/lib/core/operations/enqueue';
import { done, failure, platformOperationSteps } from '@/lib/core/operations/steps';
import { settings } from '@/lib/settings';
import { mailCertificateKind } from '../operations';
import { certificatesPaths } from '../paths';

type About = 'failed' | 'expiring';

/** Statements that mail each administrator of the project; none if the platform sends no mail. `from` decides, as in `insert`. */
export async function mailAdmins(
  projectId: string,
  certificate_id: string,
  about: About,
  from: Sql = raw('verdict WHERE verdict.ok'),
): Promise<Record<string, Sql>> {
  if (settings().smtpUrl === undefined) return {};
  const people = await query<{ user_id: string }>(
    sql`SELECT unnest(members_with(${projectId}::uuid, '{admin}')) AS user_id`,
  );
  const origin = { at: now(), request_id: null };
  const mails = people.map(({ user_id }, index) => {
    const order = mailCertificateKind.start(newId(), { certificate_id, user_id, about });
    return [`mail${index}`, operationInsert(origin, order, null, from)] as const;
  });
  return Object.fromEntries(mails);
}

type Facts = {
  email: string;
  name: string;
  project: string;
  slug: string;
  status_reason: string | null;
  not_after: Date | null;
};

/** Undefined if the certificate or the membership has ended. */
const readFacts = (certificateId: string, userId: string) =>
  queryOne<Facts>(sql`SELECT u.email, c.name, p.name AS project, p.slug, c.status_reason, c.not_after
    FROM certificates c JOIN projects p ON p.id = c.project_id JOIN memberships m ON m.project_id = p.id AND m.status = 'active'
    JOIN users u ON u.id = m.user_id WHERE c.id = ${certificateId}::uuid AND u.id = ${userId}::uuid`);

function textOf(about: About, id: string, { name, project, slug, status_reason, not_after }: Facts) {
  const end = not_after && `It is valid until ${not_after.toISOString().slice(0, 10)}.`;
  const page = `${settings().baseUrl}${certificatesPaths.certificate(slug, id)}`;
  const parts =
    about === 'failed'
      ? [
          `The order of certificate ${name} in project ${project} failed.`,
          status_reason,
          end,
          'The platform tries again.',
        ]
      : [`Certificate ${name} in project ${project} ends soon.`, end, status_reason, 'Replace it before then.'];
  const subject = about === 'failed' ? `Certificate ${name} could not be ordered` : `Certificate ${name} ends soon`;
  return { subject, text: `${[...parts, page].filter((part) => part !== null).join('\n\n')}\n` };
}

export const mailCertificateSteps = platformOperationSteps(
  mailCertificateKind,
  {
    async send({ operation, input }) {
      const facts = await readFacts(input.certificate_id, input.user_id);
      if (!facts) return done({ log: 'The certificate or the membership has ended; nothing was sent.' });
      try {
        await sendMail({ id: operation.id, to: facts.email, ...textOf(input.about, input.certificate_id, facts) });
      } catch (error) {
        if (error instanceof MailError && error.final) return failure(error.message);
        throw error;
      }
      return done();
    },
  },
  { failed: async () => done(), concurrency: 4 },
);
