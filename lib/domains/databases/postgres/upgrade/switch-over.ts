import { randomUUID } from 'node:crypto';
import type { HeldEndpoint, SideName, Switched } from '../../jobs/engine';
import { UpgradeTrouble } from '../../jobs/trouble';
import { type Direction, OWN_SCHEMA } from './names';
import { createSlots, endReplication, lagBytes, publish, REPLICATION_ENDED } from './replicate';
import { moveSequences } from './sequences';
import { ANY_DATABASE, inEach, keepOpen, type Side, using } from './side';
import { until } from './until';
import { whatReplicationMisses } from './way-back';
import { allowWrites, stopWrites } from './writes';

export type Switch = {
  /** The side that serves until now. */
  from: Side;
  to: Side;
  /** Which one `to` is. */
  toward: SideName;
  databases: readonly string[];
  jobId: string;
  /** Which replication brings the changes to `to`. */
  way: Direction;
  /** Which one is to bring later changes back; null: none. */
  back: Direction | null;
  endpoint: HeldEndpoint;
  limits?: { sessionsMs: number; drainMs: number };
  /** Called as each part is over, for the job's log and for tests that fail there. */
  onPart?: (part: SwitchPart, ms: number) => void;
};

export type SwitchPart =
  | 'held'
  | 'stopped'
  | 'checked'
  | 'drained'
  | 'sequences'
  | 'kept'
  | 'opened'
  | 'repointed'
  | 'released';

const LIMITS = { sessionsMs: 5000, drainMs: 5000 };

/**
 * Moves all clients from one side to the other within a pause, and loses nothing. What fails before the endpoint is released
 * is taken back: the former side serves again, and nothing was written on the other.
 * @throws the first trouble, once the former side serves again
 */
export async function switchOver(change: Switch): Promise<Switched> {
  const { from, to, databases, jobId, way, back } = change;
  // After a fail-over clients would wait for changes that nobody sends.
  if ((await lagBytes(from, databases, jobId, way)) === null) throw new UpgradeTrouble(REPLICATION_ENDED);
  // Without a slot a publication costs nothing, so that it needs no pause.
  if (back) await publish(to, databases, jobId, back);
  return keepOpen(from, databases, (former) => keepOpen(to, databases, (next) => switchBetween(change, former, next)));
}

async function switchBetween(change: Switch, from: Side, to: Side): Promise<Switched> {
  const { toward, databases, jobId, way, back, endpoint, limits = LIMITS, onPart = () => {} } = change;
  const start = performance.now();
  let interrupted = 0;
  const part = (name: SwitchPart) => onPart(name, performance.now() - start);
  try {
    await endpoint.hold();
    part('held');
    interrupted = await stopWrites(from, limits.sessionsMs);
    part('stopped');
    await refuseWhatWouldBeLost(from, databases);
    part('checked');
    await untilAllArrived(from, to, databases, limits.drainMs, way);
    part('drained');
    await moveSequences(from, to, databases);
    await writeThrough(to, limits.drainMs);
    part('sequences');
    // Before the first write on the new side: everything after this moment can be brought back.
    if (back) await createSlots(to, databases, jobId, back);
    part('kept');
    await allowWrites(to);
    part('opened');
    await endpoint.repoint(toward);
    part('repointed');
  } catch (error) {
    await takeBack(change);
    throw error;
  }
  await endpoint.release();
  part('released');
  return { pauseMs: Math.round(performance.now() - start), interrupted };
}

/** The former side serves again, as before the switch. Safe to repeat, as long as the endpoint was not released. */
export async function takeBack({ from, to, toward, databases, back, endpoint }: Switch): Promise<void> {
  await allowWrites(from);
  await endpoint.repoint(toward === 'next' ? 'former' : 'next');
  await endpoint.release();
  // The new side may be what failed. Its slots go with it.
  if (back) await endReplication(to, null, databases, back).catch(() => {});
}

async function refuseWhatWouldBeLost(from: Side, databases: readonly string[]): Promise<void> {
  const missed = await whatReplicationMisses(from, databases);
  if (missed !== null) throw new UpgradeTrouble(missed);
  const { rows } = await using(from, ANY_DATABASE, (client) =>
    client.query<{ gid: string; database: string }>('SELECT gid, database FROM pg_prepared_xacts LIMIT 1'),
  );
  const [prepared] = rows;
  if (prepared)
    throw new UpgradeTrouble(`The transaction ${prepared.gid} is prepared in the database ${prepared.database}.`);
}

/**
 * Waits until a last row of each database is on the other side: changes are applied in the order of their commits, so that
 * all earlier ones are there too.
 */
export async function untilAllArrived(
  from: Side,
  to: Side,
  databases: readonly string[],
  withinMs: number,
  way: Direction,
): Promise<void> {
  const mark = randomUUID();
  await inEach(from, databases, async (client, database) => {
    // A commit that waits for the log to be written brings those of sessions that did not wait.
    await client.query(
      `BEGIN; SET LOCAL synchronous_commit = local; INSERT INTO ${OWN_SCHEMA}.marks VALUES ('${mark}'); COMMIT`,
    );
    await using(to, database, (other) =>
      until(`the last changes of ${database} (${way})`, withinMs, async () => {
        // A server that ended brings nothing more, and whoever replaces it is held up meanwhile.
        const [{ rowCount }] = await Promise.all([
          other.query(`SELECT FROM ${OWN_SCHEMA}.marks WHERE id = $1`, [mark]),
          client.query('SELECT'),
        ]);
        return rowCount === 1;
      }),
    );
  });
}

/** Replication commits without waiting for the disk or a standby: one commit that does wait brings all earlier ones there. */
async function writeThrough(side: Side, withinMs: number): Promise<void> {
  await using(side, ANY_DATABASE, (client) =>
    client.query(`BEGIN; SET LOCAL synchronous_commit = on; SET LOCAL statement_timeout = ${withinMs};
      INSERT INTO ${OWN_SCHEMA}.marks VALUES ('${randomUUID()}'); COMMIT`),
  );
}
