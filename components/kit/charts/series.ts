/** One line of a chart. */
export interface Series {
  label: string;
  tone: 'accent' | 'positive' | 'caution' | 'critical';
  /** One value for each time; null where nothing is known, which leaves a gap. */
  values: readonly (number | null)[];
}

/** Positions of values between two gaps: a line has no length there, so they are drawn as points. */
export function loneValues(values: readonly (number | null | undefined)[]): number[] {
  const known = (position: number) => values[position] !== null && values[position] !== undefined;
  return [...values.keys()].filter((position) => known(position) && !known(position - 1) && !known(position + 1));
}

/** The value of a line at a position; without one, its latest. */
export function valueAt({ values }: Series, position: number | undefined): number | null {
  return values[position ?? values.length - 1] ?? null;
}
