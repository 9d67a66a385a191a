import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '@/lib/db/migrate';
import { schemaDifference } from '@/lib/db/schema-engine';
import { startTemporaryPostgres } from './temporary-postgres';

/*
 * npm run migration -- NAME            writes what the schema folder says and the migrations do not yet do
 * npm run migration -- NAME --empty    writes an empty one, for SQL by hand
 */
const [name, option] = process.argv.slice(2);
if (!name || !/^[a-z][a-z0-9_]*$/.test(name) || (option && option !== '--empty')) {
  console.error('Usage: npm run migration -- NAME [--empty]     NAME: lower case letters, digits and underscores');
  process.exit(2);
}

const sql = option ? '-- Say why this cannot be left to the schema.\n' : await missingSql();
if (sql === '') {
  console.log('The migrations already do what prisma/schema says. --empty writes one for SQL by hand.');
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
