import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '@/lib/core/db/migrate';
import { schemaDifference } from '@/lib/core/db/schema-engine';
import { startTemporaryPostgres } from './temporary-postgres';

/*
 * npm run migration -- NAME            writes the difference between schema and migrations
 * npm run migration -- NAME --empty    writes an empty migration, for SQL by hand
 */
const [name, option] = process.argv.slice(2);
if (!name || !/^[a-z][a-z0-9_]*$/.test(name) || (option && option !== '--empty')) {
  console.error('Usage: npm run migration -- NAME [--empty]     NAME: lowercase letters, digits and underscores');
  process.exit(2);
}

const sql = option ? '-- Explain why the schema cannot express this.\n' : await missingSql();
if (sql === '') {
  console.log('The migrations already match prisma/schema. Use --empty to create one for hand-written SQL.');
} else {
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const folder = join('prisma/migrations', `${stamp}_${name}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'migration.sql'), sql);
  console.log(`Wrote ${folder}/migration.sql: read it, add checks and functions by hand, then run npm test.`);
}

async function missingSql(): Promise<string> {
  const server = await startTemporaryPostgres();
  try {
    await migrate(server.url('postgres'));
    return await schemaDifference(server.url('postgres'));
  } finally {
    await server.stop();
  }
}
