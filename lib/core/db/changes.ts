import pg from 'pg';
import { log } from '@/lib/log';
import { databaseUrl, settings } from '@/lib/settings';
import { pool } from './pool';

const CHANNEL = 'nephele_changes';
const COALESCE_MS = 20;

let pending: NodeJS.Timeout | undefined;

/**
 * Signals a commit to all processes with an empty NOTIFY, at most once per 20 ms. Separate from the write, because a
 * NOTIFY inside a transaction serialises all commits.
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

/** Work that can be triggered at any time. */
export type Trigger = {
  /** Runs the work now, or right after the current run; several triggers meanwhile cause one run. */
  fire(): void;
  /** Settles when the work is not running. */
  idle(): Promise<void>;
};

/** Runs work on demand, never twice at once; a failed run is logged. */
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

/** Runs the callback soon after any process signals a change, and at least once a second. Calls never overlap. */
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
      // Signals sent before this moment were missed.
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
