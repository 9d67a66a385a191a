import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { hostIdPath, type Settings } from '@/lib/settings';

/** Stores the name under which this host's machines are registered, so that they remain its own when it is renamed. */
export function keepHostId({ dataDir, hostId }: Pick<Settings, 'dataDir' | 'hostId'>): void {
  const path = hostIdPath(dataDir);
  if (existsSync(path)) return;
  writeFileSync(`${path}.new`, `${hostId}\n`);
  renameSync(`${path}.new`, path);
}
