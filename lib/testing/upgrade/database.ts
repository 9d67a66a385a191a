import { startEmbeddedDatabase } from '@/lib/runtime/embedded-database';

// A separate process, because PostgreSQL runs as its parent's user. Prints the address, and stops when its input ends.
const [dataDir = ''] = process.argv.slice(2);
const database = await startEmbeddedDatabase(dataDir, () => {});
console.log(database.databaseUrl);
process.stdin.resume().on('end', () => void database.stop());
