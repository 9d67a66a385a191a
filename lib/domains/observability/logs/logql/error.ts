import { invalid } from '@/lib/core/api/errors';

/** A query that cannot be answered, with the place in its text. */
export class QueryError extends Error {
  override name = 'QueryError';

  constructor(
    readonly problem: string,
    /** Where in the text. */
    readonly at: number,
  ) {
    super(problem);
  }
}

/** 400 in Loki's words: line and column count from 1. */
export function refusalOf({ problem, at }: QueryError, text: string) {
  const before = text.slice(0, at).split('\n');
  const column = [...(before.at(-1) ?? '')].length + 1;
  return invalid(`parse error at line ${before.length}, col ${column}: ${problem}`);
}
