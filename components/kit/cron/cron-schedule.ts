import cronstrue from 'cronstrue';

export type CronReading = { words: string } | { problem: string };

const fields = [
  { name: 'Minute', from: 0, to: 59 },
  { name: 'Hour', from: 0, to: 23 },
  { name: 'Day of month', from: 1, to: 31 },
  { name: 'Month', from: 1, to: 12 },
  { name: 'Day of week', from: 0, to: 7 },
] as const;

/** The meaning of a five-field cron expression in words, or its error. */
export function readCron(expression: string): CronReading {
  const given = expression.trim().split(/\s+/).filter(Boolean);
  if (given.length === 0) return { problem: 'Enter a schedule, such as 0 3 * * *.' };
  if (given.length !== fields.length) {
    return { problem: 'A schedule has five fields: minute, hour, day of month, month, day of week.' };
  }
  const wrong = fields.find(({ from, to }, position) => {
    // A number after a slash is a step, not a value of the field.
    const values = (given[position] ?? '').replaceAll(/\/\d+/g, '').match(/\d+/g) ?? [];
    return values.map(Number).some((value) => value < from || value > to);
  });
  if (wrong) return { problem: `${wrong.name} must be from ${wrong.from} to ${wrong.to}.` };
  try {
    const words = cronstrue.toString(given.join(' '), {
      use24HourTimeFormat: true,
      throwExceptionOnParseError: true,
    });
    return { words };
  } catch {
    return { problem: 'This schedule is invalid. Use numbers, *, lists (1,15), ranges (1-5) and steps (*/15).' };
  }
}
