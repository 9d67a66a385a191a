import { existsSync, readFileSync } from 'node:fs';
import { settings } from '@/lib/settings';

const BUILD_ID = '.next/BUILD_ID';
let version: string | undefined;

/** What this process serves: pages of another version should load themselves anew when it suits their reader. */
export function servedVersion(): string {
  version ??=
    settings().nodeEnv === 'production' && existsSync(BUILD_ID) ? readFileSync(BUILD_ID, 'utf8').trim() : 'development';
  return version;
}
