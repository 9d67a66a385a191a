import pino from 'pino';

/**
 * The process's log: one JSON object a line on standard output. Secrets have no place in it; the paths below are a
 * second line of defence.
 */
export const log = pino({
  level: process.env.LOG_LEVEL || 'info',
  base: { process: process.env.NEPHELE_PROCESS ?? 'nephele' },
  timestamp: pino.stdTimeFunctions.isoTime,
  redact: {
    paths: [
      '*.password',
      '*.authorization',
      '*.cookie',
      '*.payload',
      '*.secret',
      '*.token',
      '*.access_token',
      '*.code',
      // What a database says besides its message: a row's values, hashes of passwords among them.
      '*.detail',
    ],
    censor: '[redacted]',
  },
});
