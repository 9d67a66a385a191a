import { type ApiError, conflict } from '@/lib/core/api/errors';
import type { Sql } from '@/lib/core/db/sql';

/**
 * An operator-set limit on resources outside the quota. `held` is an SQL integer by one of the functions `*_held`; they
 * see everything committed before they run, and admission runs them after it has locked the project's row.
 */
export type Cap = {
  held: Sql;
  most: number;
  /** The setting's name, so that users can refer the operator to it. */
  setting: string;
  /** Holder and counted things in words: "The project has", "secrets". */
  holder: string;
  things: string;
};

/** The 409 of a reached cap. */
export function capReached({ most, setting, holder, things }: Cap): ApiError {
  return conflict(
    `${holder} ${most} ${things}, the maximum (${setting}). Remove one first, or ask the operator to raise the limit.`,
  );
}
