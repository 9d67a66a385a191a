/** One of the five checks before an upgrade (services, section 5). */
export type Check = {
  id: 'certified_path' | 'cluster_health' | 'fresh_backup' | 'capacity' | 'compatibility';
  /** A warning leaves the whole passed. */
  status: 'passed' | 'warning' | 'failed';
  /** What is true, and what to do where that is not enough. */
  message: string;
  /** Each problem by name. */
  details: string[];
};

/** One problem; a blocker fails its check. */
export type Problem = { blocks: boolean; text: string };

/** A check from its problems. */
export function checkOf(id: Check['id'], problems: readonly Problem[], passed: string, otherwise: string): Check {
  const status = problems.some(({ blocks }) => blocks) ? 'failed' : problems.length > 0 ? 'warning' : 'passed';
  return { id, status, message: status === 'passed' ? passed : otherwise, details: problems.map(({ text }) => text) };
}
