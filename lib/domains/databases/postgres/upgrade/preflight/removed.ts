/** What a major version no longer has, of what an earlier one that is offered here had. */
export const REMOVED: Record<number, { extensions: readonly string[]; settings: readonly string[] }> = {
  15: {
    extensions: [
      'hstore_plpython2u',
      'hstore_plpythonu',
      'jsonb_plpython2u',
      'jsonb_plpythonu',
      'ltree_plpython2u',
      'ltree_plpythonu',
    ],
    settings: ['stats_temp_directory'],
  },
  16: { extensions: [], settings: ['force_parallel_mode', 'promote_trigger_file', 'vacuum_defer_cleanup_age'] },
  17: {
    extensions: ['adminpack', 'old_snapshot'],
    settings: ['db_user_namespace', 'old_snapshot_threshold', 'trace_recovery_messages'],
  },
  18: { extensions: [], settings: [] },
};

/** Everything that was removed after one major version, up to another. */
export function removedBetween(from: number, to: number): { extensions: Set<string>; settings: Set<string> } {
  const steps = Object.entries(REMOVED).filter(([major]) => Number(major) > from && Number(major) <= to);
  return {
    extensions: new Set(steps.flatMap(([, { extensions }]) => extensions)),
    settings: new Set(steps.flatMap(([, { settings }]) => settings)),
  };
}
