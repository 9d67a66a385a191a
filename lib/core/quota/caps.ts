import { type ApiError, conflict } from '@/lib/core/api/errors';
import type { Sql } from '@/lib/core/db/sql';

/**
 * A limit on resources that count in no quota; the operator sets it. `held` is an integer in SQL by one of the functions
 * `*_held`: they see what was committed before they run, and admission runs them after it has locked the project's row.
 */
export type Cap = {
  held: Sql;
  most: number;
  /** The name of the setting, so that the reader can tell the operator. */
  setting: string;
  /** Whose limit it is and what is counted: "The project has", "secrets". */
  holder: string;
  things: string;
};

/** What the caller reads where a cap is reached: 409. */
export function capReached({ most, setting, holder, things }: Cap): ApiError {
  return conflict(
    `${holder} ${most} ${things}, the maximum (${setting}). Remove one first, or ask the operator to raise the limit.`,
  );
}
