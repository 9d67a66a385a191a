/** One line of a chart. */
export interface Series {
  label: string;
  tone: 'accent' | 'positive' | 'caution' | 'critical';
  /** One value per time; null is unknown and leaves a gap. */
  values: readonly (number | null)[];
}

/** Positions of single values between two gaps: too short for a line, so they are drawn as points. */
export function loneValues(values: readonly (number | null | undefined)[]): number[] {
  const known = (position: number) => values[position] !== null && values[position] !== undefined;
  return [...values.keys()].filter((position) => known(position) && !known(position - 1) && !known(position + 1));
}

/** The value at a position, or the latest one without a position. */
export function valueAt({ values }: Series, position: number | undefined): number | null {
  return values[position ?? values.length - 1] ?? null;
}
