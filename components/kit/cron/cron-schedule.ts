import cronstrue from 'cronstrue';

export type CronReading = { words: string } | { problem: string };

/** Minute, hour, day of month, month, day of week. */
const PARTS = 5;

/** A schedule of five fields in words, or what is wrong with it. */
export function readCron(expression: string): CronReading {
  const trimmed = expression.trim();
  if (trimmed === '') return { problem: 'Enter a schedule, such as 0 3 * * *.' };
  if (trimmed.split(/\s+/).length !== PARTS) {
    return { problem: 'A schedule has five fields: minute, hour, day of month, month, day of week.' };
  }
  try {
    return { words: cronstrue.toString(trimmed, { use24HourTimeFormat: true, throwExceptionOnParseError: true }) };
  } catch (error) {
    return {
      problem: `${String(error)
        .replace(/^Error: /, '')
        .replace(/\.?$/, '')}.`,
    };
  }
}
