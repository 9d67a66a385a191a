/** What has been sent at a moment, in ms. */
export interface Sample {
  at: number;
  sent: number;
}

/** Speeds change: what was long ago says little of what is now. */
const WINDOW_MS = 5000;

/** Bytes a second over the last few seconds; undefined until there is something to compare. */
export function speedOf(samples: readonly Sample[]): number | undefined {
  const last = samples.at(-1);
  const first = samples.find(({ at }) => last !== undefined && last.at - at <= WINDOW_MS);
  if (!last || !first || last.at === first.at) return undefined;
  return ((last.sent - first.sent) * 1000) / (last.at - first.at);
}

/** The same samples with one more, without those that no longer count. */
export function addSample(samples: readonly Sample[], next: Sample): Sample[] {
  return [...samples.filter(({ at }) => next.at - at <= WINDOW_MS), next];
}

/** How long the rest takes at this speed. */
export function remainingSeconds(upload: {
  sent: number;
  total: number;
  speed: number | undefined;
}): number | undefined {
  const { sent, total, speed } = upload;
  return speed ? (total - sent) / speed : undefined;
}
