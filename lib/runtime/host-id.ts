import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { hostIdPath, type Settings } from '@/lib/settings';

/** Writes down under which name this host's machines are known, so that they stay its own when it is renamed. */
export function keepHostId({ dataDir, hostId }: Pick<Settings, 'dataDir' | 'hostId'>): void {
  const path = hostIdPath(dataDir);
  if (existsSync(path)) return;
  writeFileSync(`${path}.new`, `${hostId}\n`);
  renameSync(`${path}.new`, path);
}
