/** Integer percentages that add up to 100. */
export type Shares = readonly number[];

/**
 * Sets one share (0 to 100) and adjusts the others in proportion, so that all add up to 100. If the others are all 0,
 * they share equally.
 */
export function withShare(shares: Shares, position: number, wanted: number): number[] {
  if (shares.length < 2) return shares.map(() => 100);
  const share = Math.round(Math.min(100, Math.max(0, wanted)));
  const others = shares.map((value, index) => (index === position ? 0 : value));
  const sum = others.reduce((total, value) => total + value, 0);
  const exact = others.map((value, index) => {
    if (index === position) return 0;
    return (100 - share) * (sum > 0 ? value / sum : 1 / (shares.length - 1));
  });
  const rounded = roundTo(exact, 100 - share);
  return rounded.map((value, index) => (index === position ? share : value));
}

/** Rounds to integers that add up to `total`: the largest remainders are rounded up. */
function roundTo(values: readonly number[], total: number): number[] {
  const floors = values.map((value) => Math.floor(value + 1e-9));
  const left = total - floors.reduce((sum, value) => sum + value, 0);
  const byRemainder = [...values.keys()]
    .filter((index) => (values[index] ?? 0) > 0)
    .sort((one, other) => ((values[other] ?? 0) % 1) - ((values[one] ?? 0) % 1));
  const raised = new Set(byRemainder.slice(0, left));
  return floors.map((value, index) => value + (raised.has(index) ? 1 : 0));
}
