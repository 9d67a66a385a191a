import pg from 'pg';

/** The database is unreachable. The statement may or may not have been carried out. */
export class DatabaseAway extends Error {
  override name = 'DatabaseAway';
}

/**
 * SQLSTATEs of a broken connection, of a server that stops, starts or recovers, and of exhausted memory or connections.
 */
const STATES = /^(08...|57P0[1235]|53[0234]00)$/;
const SYSTEM = /^(ENOENT|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;
const WORDS = /Connection terminated|timeout exceeded when trying to connect|has encountered a connection error/;

/** Whether an error of `pg` means that the server was unreachable or went away before it answered. */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return error instanceof pg.DatabaseError ? STATES.test(code) : SYSTEM.test(code) || WORDS.test(error.message);
}

/** Prisma's codes for the same; it passes other errors on as text. */
const PRISMA = /^(P1001|P1002|P1008|P1017|P2024)$/;

/** Whether a call failed because the database is out of reach. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof DatabaseAway) return true;
  if (!(error instanceof Error && error.name.startsWith('PrismaClient'))) return false;
  const code = 'code' in error ? String(error.code) : '';
  return PRISMA.test(code) || SYSTEM.test(code) || /\b57P0[1235]\b/.test(error.message) || WORDS.test(error.message);
}
