import { setTimeout as delay } from 'node:timers/promises';
import { escapeIdentifier } from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { lostWrites } from '@/lib/testing/recording-writers';
import { closeUpgradeWorlds, follow, more, one, upgradeWorld as world } from '@/lib/testing/upgrade-world';
import type { HeldEndpoint } from '../../jobs/engine';
import { OWN_SCHEMA, replicationName } from './names';
import {
  forgetUpgrade,
  keepFormer,
  lookAtCopy,
  prepare,
  prepareWayBack,
  switchBack,
  switchToNext,
  takeBackSwitch,
  type Upgrade,
  wayBack,
} from './procedure';
import { REPLICATION_ENDED } from './replicate';
import { using } from './side';
import type { SwitchPart } from './switch-over';

afterEach(closeUpgradeWorlds);

const prepareOnce = (upgrade: Upgrade, since: string[] | null = null) => prepare(upgrade, since);

describe('an upgrade of PostgreSQL under writes', () => {
  it('loses no acknowledged write from 16 to 18 and back, and hands out no number twice', async () => {
    const { former, endpoint, writers, upgrade } = await world();
    await more(writers, 100);
    await follow(upgrade);
    const parts: [SwitchPart, number][] = [];
    const there = await switchToNext(upgrade, { endpoint, onPart: (part, ms) => parts.push([part, Math.round(ms)]) });
    await keepFormer(upgrade, 256);
    await more(writers, 300);
    expect(endpoint.serves()).toBe(18);
    expect(await wayBack(upgrade)).toMatchObject({ possible: true });
    while (!(await prepareWayBack(upgrade)).isNear) await delay(20);
    const back = await switchBack(upgrade, { endpoint, onPart: (part, ms) => parts.push([part, Math.round(ms)]) });
    await more(writers, 100);
    const recorded = await writers.stop();
    expect(endpoint.serves()).toBe(16);
    console.info(
      'pauses',
      there.pauseMs,
      back.pauseMs,
      JSON.stringify(parts),
      recorded.acknowledged.size,
      recorded.longestGapMs,
    );
    expect(await using(former, 'app', (client) => lostWrites(client, recorded, 'app.orders'))).toEqual([]);
    // A connection may be ended in the moment in which its client sends: a write that was never acknowledged.
    expect(recorded.errors.filter((error) => !/^Connection terminated|^read ECONNRESET/.test(error))).toEqual([]);
    expect(recorded.errors.length).toBeLessThanOrEqual(6);
    expect(there.pauseMs).toBeLessThan(5000);
    expect(back.pauseMs).toBeLessThan(5000);
    await forgetUpgrade(former);
    expect(await one(former, 'app', `SELECT count(*)::int FROM pg_namespace WHERE nspname LIKE 'nephele%'`)).toBe(0);
    expect(await one(former, 'app', 'SELECT count(*)::int FROM pg_publication')).toBe(0);
    expect(await one(former, 'app', 'SELECT count(*)::int FROM pg_subscription')).toBe(0);
    expect(await one(former, 'app', 'SELECT count(*)::int FROM pg_event_trigger')).toBe(0);
  });

  it('brings roles, passwords, owners, privileges, settings, every database, and what replication leaves out', async () => {
    const { former, next, endpoint, writers, upgrade } = await world();
    await follow(upgrade);
    await writers.stop();
    await switchToNext(upgrade, { endpoint });
    const password = `SELECT rolpassword FROM pg_authid WHERE rolname = 'app'`;
    expect(await one(next, 'app', password)).toBe(await one(former, 'app', password));
    expect(await one(next, 'app', `SELECT pg_has_role('app', 'readers', 'USAGE')`)).toBe(true);
    expect(await one(next, 'app', `SELECT has_table_privilege('readers', 'app.orders', 'SELECT')`)).toBe(true);
    expect(await one(next, 'app', `SELECT has_database_privilege('readers', 'app', 'CONNECT')`)).toBe(true);
    expect(await one(next, 'app', `SELECT pg_get_userbyid(relowner) FROM pg_class WHERE relname = 'orders'`)).toBe(
      'app',
    );
    expect(await one(next, 'app', 'SHOW work_mem')).toBe('7MB');
    expect(
      await one(
        next,
        'postgres',
        `SELECT setconfig[1] FROM pg_db_role_setting JOIN pg_roles r ON r.oid = setrole WHERE rolname = 'app'`,
      ),
    ).toBe('search_path=app, public');
    expect(await one(next, 'odd name"s', 'SELECT id FROM t')).toBe(7);
    expect(await one(next, 'app', 'SELECT count(*)::int FROM app.parts')).toBe(50);
    expect(await one(next, 'app', 'SELECT n >= 20000 FROM app.totals')).toBe(true);
    expect(await one(next, 'app', 'SELECT n >= 40000 FROM app.doubled')).toBe(true);
    expect(await one(next, 'app', `SELECT nextval('app.countdown')`)).toBe('-501');
    expect(await one(next, 'app', `SELECT nextval('app.unused')`)).toBe('1');
    // The trigger's rows are copied, and not made once more by the trigger.
    expect(await one(next, 'app', 'SELECT count(*)::int FROM app.plain')).toBe(
      await one(former, 'app', 'SELECT count(*)::int FROM app.plain'),
    );
  });

  it('refuses no statement of a busy session as read only: the session ends first', async () => {
    const { former, endpoint, writers, upgrade } = await world();
    await follow(upgrade);
    await writers.stop();
    const tenant = await former.connectAs('app', 'app');
    tenant.on('error', () => {});
    const answers: string[] = [];
    const busy = (async () => {
      for (;;) {
        try {
          // Never idle for long: a session that may not write would be told so before it ends.
          await tenant.query(`INSERT INTO app.orders (v) VALUES ('busy')`);
        } catch (error) {
          answers.push(error instanceof Error && 'code' in error ? String(error.code) : String(error));
          return;
        }
      }
    })();
    await switchToNext(upgrade, { endpoint });
    await busy;
    expect(answers).toEqual([expect.not.stringContaining('25006')]);
    await forgetUpgrade(former);
  });

  const BEFORE_RELEASE = ['held', 'stopped', 'checked', 'drained', 'sequences', 'kept', 'opened', 'repointed'] as const;

  it('serves on the former version again when any part of the switch fails, and can be tried again', async () => {
    const { former, next, endpoint, writers, upgrade } = await world();
    await follow(upgrade);
    for (const failing of BEFORE_RELEASE) {
      const onPart = (part: SwitchPart) => {
        if (part === failing) throw new Error(`failed at ${part}`);
      };
      await expect(switchToNext(upgrade, { endpoint, onPart })).rejects.toThrow(`failed at ${failing}`);
      expect(endpoint.serves()).toBe(16);
      await more(writers, 20);
      expect(await one(next, 'postgres', 'SELECT count(*)::int FROM pg_replication_slots')).toBe(0);
    }
    await switchToNext(upgrade, { endpoint });
    await more(writers, 20);
    const recorded = await writers.stop();
    expect(endpoint.serves()).toBe(18);
    expect(await using(next, 'app', (client) => lostWrites(client, recorded, 'app.orders'))).toEqual([]);
    await forgetUpgrade(former);
  });

  it('is taken back by the next worker when one is killed at any part of the switch', async () => {
    const { former, endpoint, writers, upgrade } = await world();
    await follow(upgrade);
    for (const last of BEFORE_RELEASE) {
      let isDead = false;
      // A process that is gone takes nothing back.
      const dying: HeldEndpoint = {
        hold: () => (isDead ? new Promise(() => {}) : endpoint.hold()),
        repoint: (to) => (isDead ? new Promise(() => {}) : endpoint.repoint(to)),
        release: () => (isDead ? new Promise(() => {}) : endpoint.release()),
      };
      const gone = new Promise<void>((resolve) => {
        const onPart = (part: SwitchPart) => {
          if (part !== last) return;
          isDead = true;
          resolve();
          throw new Error('killed');
        };
        switchToNext(upgrade, { endpoint: dying, onPart }).catch(() => {});
      });
      await gone;
      await takeBackSwitch(upgrade, { endpoint });
      expect(endpoint.serves()).toBe(16);
      await more(writers, 10);
    }
    await switchToNext(upgrade, { endpoint });
    await keepFormer(upgrade, null);
    const recorded = await writers.stop();
    expect(await using(upgrade.next, 'app', (client) => lostWrites(client, recorded, 'app.orders'))).toEqual([]);
    expect(await using(former, 'app', (client) => lostWrites(client, recorded, 'app.orders'))).toEqual([]);
  });

  it('serves on the former version again when the next one dies during the switch', async () => {
    const { former, next, endpoint, writers, upgrade } = await world();
    await follow(upgrade);
    const onPart = (part: SwitchPart) => {
      if (part === 'checked') void next.crash();
    };
    await expect(switchToNext(upgrade, { endpoint, onPart })).rejects.toThrow();
    expect(endpoint.serves()).toBe(16);
    await more(writers, 50);
    const recorded = await writers.stop();
    expect(await using(former, 'app', (client) => lostWrites(client, recorded, 'app.orders'))).toEqual([]);
    await forgetUpgrade(former);
    expect(await one(former, 'app', 'SELECT count(*)::int FROM pg_replication_slots')).toBe(0);
  });

  it('waits for no more changes of a former version that dies during the switch, or was replaced before it', async () => {
    const { former, next, endpoint, writers, upgrade } = await world();
    await follow(upgrade);
    const [subscription] = upgrade.databases.map((database) => replicationName(upgrade.jobId, 'forward', database));
    await using(next, 'app', (client) =>
      client.query(`ALTER SUBSCRIPTION ${escapeIdentifier(`${subscription}`)} DISABLE`),
    );
    const marks = () => one(former, 'app', `SELECT count(*)::int FROM ${OWN_SCHEMA}.marks`);
    const before = await marks();
    const onPart = async (part: SwitchPart) => {
      if (part !== 'checked') return;
      await expect.poll(marks).toBeGreaterThan(Number(before));
      await former.crash();
    };
    const limits = { sessionsMs: 5_000, drainMs: 3_600_000 };
    await expect(switchToNext(upgrade, { endpoint, limits, onPart })).rejects.toThrow();
    await former.start();
    await takeBackSwitch(upgrade, { endpoint });
    // The slots of a primary are gone with it.
    await one(former, 'app', `SELECT pg_drop_replication_slot('${subscription}')`);
    await expect(switchToNext(upgrade, { endpoint, limits, onPart })).rejects.toThrow(REPLICATION_ENDED);
    expect(endpoint.serves()).toBe(16);
    await more(writers, 20);
    const recorded = await writers.stop();
    expect(await using(former, 'app', (client) => lostWrites(client, recorded, 'app.orders'))).toEqual([]);
  });

  it('survives a crash of either side while it follows, in both directions', async () => {
    const { former, next, endpoint, writers, upgrade } = await world();
    await follow(upgrade);
    await next.crash();
    await next.start();
    await more(writers, 50);
    await expect.poll(async () => (await lookAtCopy(upgrade)).isNear, { timeout: 30_000 }).toBe(true);
    await switchToNext(upgrade, { endpoint });
    await keepFormer(upgrade, 256);
    await former.crash();
    await more(writers, 50);
    await former.start();
    await expect.poll(async () => (await prepareWayBack(upgrade)).isNear, { timeout: 30_000 }).toBe(true);
    await switchBack(upgrade, { endpoint });
    await more(writers, 20);
    const recorded = await writers.stop();
    expect(await using(former, 'app', (client) => lostWrites(client, recorded, 'app.orders'))).toEqual([]);
  });

  it('repeats each part without harm', async () => {
    const { former, next, endpoint, writers, upgrade } = await world();
    await follow(upgrade);
    await follow(upgrade);
    await switchToNext(upgrade, { endpoint });
    await keepFormer(upgrade, 256);
    await keepFormer(upgrade, 256);
    await more(writers, 20);
    while (!(await prepareWayBack(upgrade)).isNear) await delay(20);
    await switchBack(upgrade, { endpoint });
    await forgetUpgrade(former);
    await forgetUpgrade(former);
    const recorded = await writers.stop();
    expect(await using(former, 'app', (client) => lostWrites(client, recorded, 'app.orders'))).toEqual([]);
    expect(
      await one(next, 'app', `SELECT reset_val FROM pg_settings WHERE name = 'default_transaction_read_only'`),
    ).toBe('on');
  });
});

describe('what ends an upgrade or its way back', () => {
  it('is a change of the schema during the copy, but none of temporary tables', async () => {
    const { former, upgrade, writers } = await world();
    await follow(upgrade);
    const tenant = await former.connectAs('app', 'app');
    await tenant.query('CREATE TEMP TABLE t AS SELECT 1; DROP TABLE t');
    await lookAtCopy(upgrade);
    await tenant.query('CREATE TABLE app.later (id int)');
    // A table that is not published can still be changed.
    await tenant.query('INSERT INTO app.later VALUES (1); UPDATE app.later SET id = 2');
    await tenant.end();
    await expect(lookAtCopy(upgrade)).rejects.toThrow(/CREATE TABLE app\.later, by app at /);
    await writers.stop();
  });

  it('is a change of the schema, a large object, or a new database after the switch', async () => {
    const { next, endpoint, upgrade, writers } = await world();
    await follow(upgrade);
    await writers.stop();
    await switchToNext(upgrade, { endpoint });
    await keepFormer(upgrade, 256);
    expect(await wayBack(upgrade)).toMatchObject({ possible: true });
    const tenant = await next.connectAs('app', 'app');
    const { rows } = await tenant.query<{ oid: number }>(`SELECT lo_from_bytea(0, 'x') AS oid`);
    expect(await wayBack(upgrade)).toEqual({
      possible: false,
      reason: 'A large object was created in the database app.',
    });
    await tenant.query('SELECT lo_unlink($1)', [rows[0]?.oid]);
    expect(await wayBack(upgrade)).toMatchObject({ possible: true });
    await using(next, 'postgres', (client) => client.query('CREATE DATABASE more'));
    expect(await wayBack(upgrade)).toEqual({ possible: false, reason: 'The database more was created.' });
    await using(next, 'postgres', (client) => client.query('DROP DATABASE more'));
    await tenant.query('DROP INDEX app.orders_at');
    expect(await wayBack(upgrade)).toMatchObject({
      possible: false,
      reason: expect.stringMatching(/DROP INDEX app\.orders_at/),
    });
    await expect(prepareWayBack(upgrade)).rejects.toThrow(/DROP INDEX/);
    await tenant.end();
  });

  it('is more log than is kept while the former side is away', async () => {
    const { former, next, endpoint, upgrade, writers } = await world();
    await follow(upgrade);
    await writers.stop();
    await switchToNext(upgrade, { endpoint });
    await keepFormer(upgrade, 32);
    await former.crash();
    await using(next, 'app', async (client) => {
      for (let round = 0; round < 6; round += 1) {
        await client.query(`INSERT INTO app.orders (v) SELECT repeat('x', 1000) FROM generate_series(1, 20000)`);
        await client.query('CHECKPOINT');
      }
    });
    expect(await wayBack(upgrade)).toMatchObject({
      possible: false,
      reason: expect.stringMatching(/log that is kept/),
    });
    await forgetUpgrade(next);
    expect(await one(next, 'app', 'SELECT count(*)::int FROM pg_replication_slots')).toBe(0);
  });

  it('is a transaction that does not end: nothing is copied before', async () => {
    const { former, upgrade, writers } = await world();
    const tenant = await former.connectAs('app', 'app');
    await tenant.query('BEGIN; CREATE TABLE app.unseen (id int)');
    await writers.stop();
    const first = await prepareOnce(upgrade);
    expect(first.ready).toBe(false);
    await tenant.query('COMMIT');
    expect((await prepareOnce(upgrade, first.since)).ready).toBe(true);
    await tenant.end();
  });
});
