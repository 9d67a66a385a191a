/** How wide an axis is that holds these labels at 11 px. */
export function axisWidth(labels: readonly string[]): number {
  return 14 + 6.4 * Math.max(2, ...labels.map((label) => label.length));
}
