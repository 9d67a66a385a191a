import { OWN_SCHEMA } from './names';
import { inEach, type Side } from './side';

/** A change of a schema that was not made by the platform. */
export type SchemaChange = { database: string; command: string; object: string | null; role: string; at: Date };

/**
 * A table of changes and one of marks in each database, on both sides: both are replicated like the tenant's own tables, and
 * have to be on the other side. The function belongs to the platform's superuser; a tenant can neither call nor drop it.
 */
const OWN_TABLES = `
  CREATE SCHEMA IF NOT EXISTS ${OWN_SCHEMA};
  REVOKE ALL ON SCHEMA ${OWN_SCHEMA} FROM PUBLIC;
  CREATE TABLE IF NOT EXISTS ${OWN_SCHEMA}.schema_changes (id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    command text NOT NULL, object text, role text NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp());
  CREATE TABLE IF NOT EXISTS ${OWN_SCHEMA}.marks (id uuid PRIMARY KEY);
  CREATE TABLE IF NOT EXISTS ${OWN_SCHEMA}.finished (step text PRIMARY KEY);`;

/**
 * The owner of the subscriptions, by whose rights a tenant's code may run while rows are applied, must not lead them elsewhere.
 * Comments, refreshed views and rebuilt indexes change nothing that replication carries; temporary tables concern nobody else.
 */
const RECORDER = `
  CREATE OR REPLACE FUNCTION ${OWN_SCHEMA}.record_change() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
  BEGIN
    IF (SELECT rolsuper FROM pg_roles WHERE rolname = session_user)
      OR tg_tag IN ('COMMENT', 'REFRESH MATERIALIZED VIEW', 'REINDEX', 'SECURITY LABEL') THEN RETURN; END IF;
    IF tg_event = 'sql_drop' THEN
      IF EXISTS (SELECT FROM pg_event_trigger_dropped_objects() d WHERE d.original AND NOT d.is_temporary) THEN
        INSERT INTO ${OWN_SCHEMA}.schema_changes (command, object, role)
          SELECT tg_tag, d.object_identity, session_user FROM pg_event_trigger_dropped_objects() d
          WHERE d.original AND NOT d.is_temporary;
      END IF;
    ELSIF tg_tag NOT LIKE 'DROP %' AND EXISTS (
      SELECT FROM pg_event_trigger_ddl_commands() c WHERE c.schema_name IS DISTINCT FROM 'pg_temp') THEN
      INSERT INTO ${OWN_SCHEMA}.schema_changes (command, object, role)
        SELECT DISTINCT tg_tag, c.object_identity, session_user FROM pg_event_trigger_ddl_commands() c
        WHERE c.schema_name IS DISTINCT FROM 'pg_temp';
    END IF;
  END $$;
  REVOKE ALL ON FUNCTION ${OWN_SCHEMA}.record_change() FROM PUBLIC;
  CREATE OR REPLACE FUNCTION ${OWN_SCHEMA}.keep_subscriptions() RETURNS event_trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
  BEGIN
    IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
      RAISE insufficient_privilege USING MESSAGE = format('permission denied: %s during an upgrade', tg_tag);
    END IF;
  END $$;`;

const TRIGGERS = `
  DROP EVENT TRIGGER IF EXISTS nephele_upgrade_changes;
  DROP EVENT TRIGGER IF EXISTS nephele_upgrade_drops;
  DROP EVENT TRIGGER IF EXISTS nephele_upgrade_subscriptions;
  CREATE EVENT TRIGGER nephele_upgrade_changes ON ddl_command_end EXECUTE FUNCTION ${OWN_SCHEMA}.record_change();
  CREATE EVENT TRIGGER nephele_upgrade_drops ON sql_drop EXECUTE FUNCTION ${OWN_SCHEMA}.record_change();
  CREATE EVENT TRIGGER nephele_upgrade_subscriptions ON ddl_command_start
    WHEN tag IN ('CREATE SUBSCRIPTION', 'ALTER SUBSCRIPTION', 'DROP SUBSCRIPTION') EXECUTE FUNCTION ${OWN_SCHEMA}.keep_subscriptions();
  ALTER EVENT TRIGGER nephele_upgrade_subscriptions ENABLE ALWAYS;`;

/** Creates the platform's own schema in each database. Its triggers come to the new side with the copied schema. */
export async function createOwnSchema(side: Side, databases: readonly string[]): Promise<void> {
  await inEach(side, databases, (client) => client.query(OWN_TABLES + RECORDER));
}

/**
 * Begins to record changes of schemas on the side that serves.
 * @returns for each database the transaction that began it: changes of transactions that are older may be missed, so that
 * nothing is copied before they have ended (`oldestTransaction`)
 */
export async function watchChanges(side: Side, databases: readonly string[]): Promise<string[]> {
  return inEach(side, databases, async (client) => {
    const { rows } = await client.query<{ command: string }>(
      `SELECT evtname FROM pg_event_trigger
        WHERE evtname IN ('nephele_upgrade_changes', 'nephele_upgrade_drops', 'nephele_upgrade_subscriptions')`,
    );
    if (rows.length < 3) await client.query(TRIGGERS);
    const now = await client.query<{ xid: string }>('SELECT pg_current_xact_id()::text AS xid');
    return now.rows[0]?.xid ?? '0';
  });
}

/** Whether a transaction that is older than these still runs, in any of the databases. */
export async function runsOlderThan(
  side: Side,
  databases: readonly string[],
  xids: readonly string[],
): Promise<boolean> {
  const running = await inEach(side, databases, async (client, database) => {
    const xid = xids[databases.indexOf(database)] ?? '0';
    const { rows } = await client.query<{ older: boolean }>(
      'SELECT pg_snapshot_xmin(pg_current_snapshot()) <= $1::xid8 AS older',
      [xid],
    );
    return rows[0]?.older ?? false;
  });
  return running.includes(true);
}

/** What was changed since the side is watched, oldest first. */
export async function schemaChanges(side: Side, databases: readonly string[]): Promise<SchemaChange[]> {
  const found = await inEach(side, databases, async (client, database) => {
    const { rows } = await client.query<Omit<SchemaChange, 'database'>>(
      `SELECT command, object, role, at FROM ${OWN_SCHEMA}.schema_changes ORDER BY at LIMIT 20`,
    );
    return rows.map((row) => ({ database, ...row }));
  });
  return found.flat().sort((one, other) => one.at.getTime() - other.at.getTime());
}

/** Removes everything of the platform's from each database; nothing is left for a `pg_dump` of the tenant's. */
export async function removeOwnSchema(side: Side, databases: readonly string[]): Promise<void> {
  await inEach(side, databases, (client) =>
    client.query(`DROP EVENT TRIGGER IF EXISTS nephele_upgrade_changes; DROP EVENT TRIGGER IF EXISTS nephele_upgrade_drops;
      DROP EVENT TRIGGER IF EXISTS nephele_upgrade_subscriptions; SET client_min_messages = 'warning'; DROP SCHEMA IF EXISTS ${OWN_SCHEMA} CASCADE`),
  );
}
