import { type DatabaseEngine, memberCounts } from '@/lib/domains/databases/engines';

/** How many members a cluster of an engine may have, as options. */
export function memberOptions(engine: DatabaseEngine) {
  return memberCounts[engine].allowed.map((count) => ({
    value: String(count),
    label: count === 1 ? '1 member' : `${count} members`,
    description: describe(engine, count),
  }));
}

function describe(engine: DatabaseEngine, count: number): string {
  if (engine === 'qdrant' || engine === 'mongodb') return 'Restarted automatically after a crash.';
  if (count === 1) return 'Without fail-over. For development.';
  if (engine === 'mysql') return `Goes on when ${(count - 1) / 2} of them fail${count === 3 ? 's' : ''}.`;
  return count === 2 ? 'The standby takes over when the primary fails.' : `A primary and ${count - 1} standbys.`;
}
