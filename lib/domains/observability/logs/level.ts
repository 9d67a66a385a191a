const named = /\b(?:level|lvl|severity)["']?\s?[=:]\s?["']?([a-z]+)/i;
/** As in `2026-03-01 ERROR: …`; in capitals, because words of a sentence are not a level. */
const leading = /\b(FATAL|PANIC|ERROR|WARN(?:ING)?|DEBUG)\b/;
/** Where a program names the level of a line. */
const HEAD = 200;

const levels = new Map(
  Object.entries({
    trace: 'debug',
    debug: 'debug',
    warn: 'warn',
    warning: 'warn',
    err: 'error',
    error: 'error',
    crit: 'error',
    critical: 'error',
    alert: 'error',
    fatal: 'error',
    panic: 'error',
    emerg: 'error',
  }),
);

/** The label `level` of a program's line: `debug`, `info`, `warn` or `error`. */
export function levelOf(line: string): string {
  const head = line.slice(0, HEAD);
  const word = named.exec(head)?.[1] ?? leading.exec(head)?.[1];
  return levels.get(word?.toLowerCase() ?? '') ?? 'info';
}
