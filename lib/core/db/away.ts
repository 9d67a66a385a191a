import pg from 'pg';

/** The database is out of reach for now; whether the statement has been carried out is not known. */
export class DatabaseAway extends Error {
  override name = 'DatabaseAway';
}

/** SQLSTATEs of a connection that broke, a server that stops, starts or recovers, and one with no memory or connection to spare. */
const STATES = /^(08...|57P0[1235]|53[0234]00)$/;
const SYSTEM = /^(ENOENT|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;
const WORDS = /Connection terminated|timeout exceeded when trying to connect|has encountered a connection error/;

/** Whether an error of `pg` means that its server could not be reached, or went away before it answered. */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return error instanceof pg.DatabaseError ? STATES.test(code) : SYSTEM.test(code) || WORDS.test(error.message);
}

/** What Prisma calls the same; the rest it hands on as it came, in words. */
const PRISMA = /^(P1001|P1002|P1008|P1017|P2024)$/;

/** Whether a call failed because the database is out of reach. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof DatabaseAway) return true;
  if (!(error instanceof Error && error.name.startsWith('PrismaClient'))) return false;
  const code = 'code' in error ? String(error.code) : '';
  return PRISMA.test(code) || SYSTEM.test(code) || /\b57P0[1235]\b/.test(error.message) || WORDS.test(error.message);
}
