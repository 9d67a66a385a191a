const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const SECOND_MS = 1000;

const steps = [5, 10, 15, 30]
  .map((seconds) => seconds * SECOND_MS)
  .concat([1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS))
  .concat([1, 2, 4, 6, 8, 12, 24, 48, 72, 168].map((hours) => hours * HOUR_MS));

/** At most `most` times in a range, on full minutes, hours or days of the reader's time zone. */
export function roundTimes(from: number, to: number, most: number): number[] {
  const step = steps.find((candidate) => (to - from) / candidate <= most) ?? to - from;
  const offset = new Date(to).getTimezoneOffset() * MINUTE_MS;
  const first = Math.ceil((from - offset) / step) * step + offset;
  const times: number[] = [];
  for (let at = first; at <= to; at += step) times.push(at);
  return times;
}

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const minute = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const second = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** Labels of a time axis. The first label of each day includes the date; repeated labels are left out. */
export function timeLabels(times: readonly number[]): string[] {
  const step = (times[1] ?? 0) - (times[0] ?? 0);
  const ofStep = (at: number) =>
    step >= DAY_MS ? day.format(at) : step % MINUTE_MS === 0 ? minute.format(at) : second.format(at);
  const labels = times.map((at, position) => {
    const before = times[position - 1];
    const newDay = before !== undefined && day.format(before) !== day.format(at);
    return newDay ? day.format(at) : ofStep(at);
  });
  return labels.map((label, position) => (label === labels[position - 1] ? '' : label));
}
