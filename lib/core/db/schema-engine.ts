import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';

const charOid = 18;
const charArrayOid = 1002;

/**
 * The SQL that would bring a database in line with the schema folder; empty when they agree. Features that Prisma's
 * schema language lacks (functions, checks, partial and expression indexes, storage parameters) are not compared.
 */
export async function schemaDifference(databaseUrl: string, schemaFolder = 'prisma/schema'): Promise<string> {
  const files = readdirSync(schemaFolder)
    .filter((name) => name.endsWith('.prisma'))
    .sort()
    .map((name) => ({ path: join(schemaFolder, name), content: readFileSync(join(schemaFolder, name), 'utf8') }));
  loading ??= loadEngine();
  await loading;
  const pool = new pg.Pool({ connectionString: databaseUrl });
  try {
    const engine = await bindings.SchemaEngine.new(
      { datamodels: files.map(({ path, content }) => [path, content]) },
      () => {},
      bindMigrationAwareSqlAdapterFactory(new CatalogAdapter(pool)),
    );
    const { stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files, configDir: schemaFolder },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    });
    return stdout === null || stdout.startsWith('-- This is an empty migration') ? '' : stdout;
  } finally {
    await pool.end();
  }
}

let loading: Promise<void> | undefined;

/** Prisma's schema engine as WebAssembly, because the native binary would have to be downloaded. */
async function loadEngine(): Promise<void> {
  const require = createRequire(join(process.cwd(), 'package.json'));
  const folder = dirname(require.resolve('@prisma/schema-engine-wasm'));
  const { instance } = await WebAssembly.instantiate(readFileSync(join(folder, 'schema_engine_bg.wasm')), {
    './schema_engine_bg.js': bindings,
  });
  bindings.__wbg_set_wasm(instance.exports);
  const { __wbindgen_start: start } = instance.exports;
  if (typeof start === 'function') start();
  const set_message = (message: string) => console.error(`Prisma's schema engine failed: ${message}`);
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: { set_message } });
}

/**
 * The adapter does not know PostgreSQL's one-byte "char", which is common in the catalogs. The engine's catalog queries
 * never return arrays of it, so such a column is declared as an array and read as a character.
 */
class CatalogAdapter extends PrismaPg {
  constructor(pool: pg.Pool) {
    const query = pool.query.bind(pool);
    Object.assign(pool, {
      query: async (config: pg.QueryConfig) => {
        const result = await query(config);
        for (const field of result.fields ?? []) if (field.dataTypeID === charOid) field.dataTypeID = charArrayOid;
        return result;
      },
    });
    super(pool);
  }

  override async connect() {
    const adapter = await super.connect();
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (query) => {
      const result = await queryRaw(query);
      const { CharacterArray, Character } = ColumnTypeEnum;
      return { ...result, columnTypes: result.columnTypes.map((type) => (type === CharacterArray ? Character : type)) };
    };
    return adapter;
  }
}
