import { z } from 'zod';
import type { Cluster, Member } from '../../cluster/clusters';
import { type Check, checkOf, type Problem } from '../../jobs/check';
import { ask } from '../../single/socket';

const PATIENT_MS = 10_000;
/** Snapshots that are named. */
const MOST_NAMED = 20;

const contents = z.object({
  result: z.object({
    collections: z.int(),
    points: z.int(),
    snapshots: z.array(z.string()),
    /** Collections that cannot be opened. */
    broken: z.int(),
  }),
});

/** What of the contents does not go along. Whatever an older version has, a newer one knows. */
export async function checkContents(cluster: Cluster, primary: Member): Promise<Check> {
  const { result } = contents.parse(JSON.parse(await ask(cluster, primary, '/platform/contents', PATIENT_MS)));
  const problems: Problem[] = [
    ...(result.broken > 0
      ? [{ blocks: true, text: `${result.broken} collections cannot be opened. Delete them, or restore a backup.` }]
      : []),
    ...result.snapshots.slice(0, MOST_NAMED).map((name) => ({
      blocks: false,
      text: `The snapshot ${name} stays with the former version, and goes with it. Download it if you need it.`,
    })),
    ...(result.snapshots.length > MOST_NAMED
      ? [{ blocks: false, text: `So do ${result.snapshots.length - MOST_NAMED} further snapshots.` }]
      : []),
  ];
  return checkOf(
    'compatibility',
    problems,
    `All collections (${result.collections}) go along, with their points (${result.points}), aliases and indexes.`,
    'Some contents need your attention.',
  );
}
