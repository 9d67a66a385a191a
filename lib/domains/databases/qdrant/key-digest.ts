import { createHash } from 'node:crypto';

/** What members know an API key by: its SHA-256, in hexadecimal digits. A key is random, so that nothing slower is needed. */
export const keyDigest = (key: string): string => createHash('sha256').update(key).digest('hex');
