import { existsSync, readFileSync } from 'node:fs';
import { settings } from '@/lib/settings';

const BUILD_ID = '.next/BUILD_ID';
let version: string | undefined;

/** The version served by this process; pages of another version should reload at a convenient moment. */
export function servedVersion(): string {
  version ??=
    settings().nodeEnv === 'production' && existsSync(BUILD_ID) ? readFileSync(BUILD_ID, 'utf8').trim() : 'development';
  return version;
}
