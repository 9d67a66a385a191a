import pg from 'pg';
import { log } from '@/lib/log';
import { databaseUrl, settings } from '@/lib/settings';
import { pool } from './pool';

const CHANNEL = 'nephele_changes';
const COALESCE_MS = 20;

let pending: NodeJS.Timeout | undefined;

/**
 * Tells all processes that something was committed: one empty NOTIFY at most every 20 ms, apart from the write itself,
 * because a NOTIFY inside it would serialise all commits.
 */
export function signalChange(): void {
  if (pending) return;
  pending = setTimeout(() => {
    pending = undefined;
    pool()
      .query(`NOTIFY ${CHANNEL}`)
      .catch((error) => log.debug({ err: error }, 'a change signal was not sent; listeners still poll once a second'));
  }, COALESCE_MS);
}

/** Work that may be asked for at any time. */
export type Trigger = {
  /** Has it done soon: now, or right after the present turn, once however often it was asked for meanwhile. */
  fire(): void;
  /** Settles when no turn is under way. */
  idle(): Promise<void>;
};

/** Does work on demand, one turn at a time; a turn that fails is logged. */
export function oneAtATime(work: () => Promise<void>): Trigger {
  let turn: Promise<void> | undefined;
  let again = false;
  const fire = () => {
    if (turn) {
      again = true;
      return;
    }
    turn = work()
      .catch((error) => log.warn({ err: error }, 'reading changes failed; trying again within a second'))
      .finally(() => {
        turn = undefined;
        if (again) {
          again = false;
          fire();
        }
      });
  };
  return {
    fire,
    async idle() {
      while (turn) await turn;
    },
  };
}

/** Calls back soon after any process signalled a change, and once a second in any case. Never two calls at once. */
export function onChange(callback: () => Promise<void>): { stop(): Promise<void> } {
  let stopped = false;
  let client: pg.Client | undefined;
  const turns = oneAtATime(async () => {
    if (!stopped) await callback();
  });

  const connect = async () => {
    if (stopped) return;
    const fresh = new pg.Client({
      connectionString: settings().databaseListenUrl ?? databaseUrl(),
      application_name: 'nephele-listen',
    });
    const lost = () => {
      if (client !== fresh) return;
      client = undefined;
      fresh.removeAllListeners('notification');
      fresh.end().catch(() => {});
    };
    fresh.on('error', lost);
    fresh.on('end', lost);
    fresh.on('notification', turns.fire);
    client = fresh;
    try {
      await fresh.connect();
      await fresh.query(`LISTEN ${CHANNEL}`);
      // What was signalled before this moment, nobody heard.
      turns.fire();
    } catch (error) {
      log.debug({ err: error }, 'cannot listen for changes; trying again within a second');
      lost();
    }
  };

  void connect();
  const timer = setInterval(() => {
    if (!client) void connect();
    turns.fire();
  }, 1000);

  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await turns.idle();
      const open = client;
      client = undefined;
      await open?.end().catch(() => {});
    },
  };
}
