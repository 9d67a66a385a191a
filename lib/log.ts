import pino from 'pino';

/**
 * The log of this process: one JSON object per line on standard output. Never log secrets; the paths below are a second
 * line of defence.
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
      // Details of database errors, which can contain a row's values, including password hashes.
      '*.detail',
    ],
    censor: '[redacted]',
  },
});
