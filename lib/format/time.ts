const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

type Moment = string | number | Date;

function formatter(options: Intl.DateTimeFormatOptions, timeZone?: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', { ...options, timeZone });
}

/** A short relative time: `just now`, `12 s ago`, `in 3 min`, `2 d ago`; beyond 30 days the date. */
export function formatRelative(moment: Moment, now: number): string {
  const at = new Date(moment).getTime();
  const distance = Math.abs(now - at);
  if (distance < 5 * SECOND) return 'just now';
  if (distance >= 30 * DAY) return formatDate(moment);
  const amount =
    distance < MINUTE
      ? `${Math.floor(distance / SECOND)} s`
      : distance < HOUR
        ? `${Math.floor(distance / MINUTE)} min`
        : distance < DAY
          ? `${Math.floor(distance / HOUR)} h`
          : `${Math.floor(distance / DAY)} d`;
  return at <= now ? `${amount} ago` : `in ${amount}`;
}

/** `21 Nov 2026` in the reader's zone, or in `timeZone`. */
export function formatDate(moment: Moment, timeZone?: string): string {
  return formatter({ day: 'numeric', month: 'short', year: 'numeric' }, timeZone).format(new Date(moment));
}

/** `27 Nov, 10:05` in the reader's zone: a moment of this month or the next. */
export function formatMoment(moment: Moment, timeZone?: string): string {
  return formatter({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }, timeZone).format(
    new Date(moment),
  );
}

/** `27 Nov, 10:05 – 11:30`, or with both days: a window in the reader's zone. */
export function formatWindow(from: Moment, to: Moment, timeZone?: string): string {
  const sameDay = formatDate(from, timeZone) === formatDate(to, timeZone);
  const end = sameDay
    ? formatter({ hour: '2-digit', minute: '2-digit' }, timeZone).format(new Date(to))
    : formatMoment(to, timeZone);
  return `${formatMoment(from, timeZone)} – ${end}`;
}

/** A UTC month in the API's form, `2026-11`, as `Nov 2026`, or as `November` if the year is clear. */
export function formatMonth(month: string, form: 'short' | 'long' = 'short'): string {
  const options: Intl.DateTimeFormatOptions = form === 'long' ? { month: 'long' } : { month: 'short', year: 'numeric' };
  return formatter(options, 'UTC').format(new Date(`${month}-01T00:00:00Z`));
}

/** `21 Nov 2026, 08:55:12 UTC`, to the second, with the time zone: the reader's, or `timeZone`. */
export function formatExact(moment: Moment, timeZone?: string): string {
  return formatter(
    {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'short',
    },
    timeZone,
  ).format(new Date(moment));
}

/** A duration in its two largest units: `850 ms`, `4.2 s`, `3 min 20 s`, `1 h 5 min`, `2 d 3 h`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < SECOND) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 10 * SECOND) return `${(Math.floor(milliseconds / 100) / 10).toString()} s`;
  const steps = [
    ['d', DAY],
    ['h', HOUR],
    ['min', MINUTE],
    ['s', SECOND],
  ] as const;
  const first = steps.findIndex(([, length]) => milliseconds >= length);
  let rest = milliseconds;
  const parts: string[] = [];
  for (const [unit, length] of steps.slice(first, first + 2)) {
    const amount = Math.floor(rest / length);
    rest -= amount * length;
    if (amount > 0) parts.push(`${amount} ${unit}`);
  }
  return parts.join(' ');
}
