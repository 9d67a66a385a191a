import pg from 'pg';
import { log } from '@/lib/log';
import { databaseUrl, settings } from '@/lib/settings';
import { pool } from './pool';

/** Channels of PostgreSQL. Log lines have their own: they arrive all the time, and only followers of logs wait for them. */
const channels = {
  changes: { name: 'nephele_changes', coalesce_ms: 20 },
  logs: { name: 'nephele_logs', coalesce_ms: 100 },
} as const;
type Channel = keyof typeof channels;

const pending = new Set<Channel>();

/**
 * Signals a commit to all processes with an empty NOTIFY; signals within a few milliseconds are one. Separate from the
 * write, because a NOTIFY inside a transaction serialises all commits.
 */
export function signalChange(channel: Channel = 'changes'): void {
  if (pending.has(channel)) return;
  pending.add(channel);
  const { name, coalesce_ms } = channels[channel];
  setTimeout(() => {
    pending.delete(channel);
    pool()
      .query(`NOTIFY ${name}`)
      .catch((error) => log.debug({ err: error }, 'a change signal was not sent; listeners still poll once a second'));
  }, coalesce_ms);
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
export function onChange(callback: () => Promise<void>, channel: Channel = 'changes'): { stop(): Promise<void> } {
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
      await fresh.query(`LISTEN ${channels[channel].name}`);
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
