import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';

/** Creates the tables of toys in this test file's database. */
export async function createToyTables(): Promise<void> {
  await execute(sql`CREATE TABLE toys (
    id uuid PRIMARY KEY, project_id uuid NOT NULL REFERENCES projects (id), cell_id text NOT NULL REFERENCES cells (id),
    name text NOT NULL, status text NOT NULL CHECK (status IN ('creating', 'active', 'upgrading', 'deleting', 'error')),
    status_reason text, version int NOT NULL, network_id uuid NOT NULL, address inet NOT NULL, active_member int NOT NULL,
    sealed_password bytea NOT NULL, created_at timestamptz(3) NOT NULL, updated_at timestamptz(3) NOT NULL,
    UNIQUE (project_id, id), UNIQUE (project_id, name),
    FOREIGN KEY (project_id, id) REFERENCES devices (project_id, id))`);
  await execute(sql`CREATE TABLE toy_members (
    id uuid PRIMARY KEY, project_id uuid NOT NULL, toy_id uuid NOT NULL, ordinal int NOT NULL,
    version int NOT NULL, running boolean NOT NULL DEFAULT false, UNIQUE (toy_id, ordinal),
    FOREIGN KEY (project_id, toy_id) REFERENCES toys (project_id, id),
    FOREIGN KEY (project_id, id) REFERENCES devices (project_id, id))`);
  // Names can be searched, and tags are removed with their toy.
  await execute(sql`CREATE INDEX toys_prefix_idx ON toys (project_id, lower(name) text_pattern_ops)`);
  await execute(sql`CREATE INDEX toys_terms_idx ON toys USING gin (search_terms(project_id, name))`);
  await execute(
    sql`CREATE TRIGGER toys_untagged AFTER DELETE ON toys FOR EACH ROW EXECUTE FUNCTION resource_untagged()`,
  );
}
