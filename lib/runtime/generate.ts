import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { keepingFormer } from './former-pages';
import { type RunOptions, runNode } from './run-node';
import { builtFiles, compressFiles } from './static-files';
import { whenChanged } from './when-changed';

const clientSchema = 'lib/client/schema.d.ts';
const referenceGroups = 'lib/client/reference.ts';
const referencePages = 'lib/client/reference-pages.ts';
const operationTable = 'lib/client/operations';

/** Generates Prisma's client from `prisma/schema` into `lib/core/db/generated`. */
export async function generateDatabaseClient(run: RunOptions = {}): Promise<void> {
  await whenChanged({
    name: 'database-client',
    inputs: ['prisma/schema', 'package-lock.json'],
    output: 'lib/core/db/generated/client.ts',
    run: () =>
      runNode(['node_modules/prisma/build/index.js', 'generate', '--schema', 'prisma/schema', '--no-hints'], {
        signal: run.signal,
        // The engine is not needed here, and would be downloaded if unset.
        env: { ...run.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/false', CHECKPOINT_DISABLE: '1' },
      }),
  });
}

/**
 * Generates the portal's client (types, table of operations) and the API reference from the endpoints. Needs the
 * database client.
 */
export async function generateApiClient(run: RunOptions = {}): Promise<void> {
  await whenChanged({
    name: 'api-client',
    inputs: ['lib', 'package-lock.json'],
    output: clientSchema,
    run: () => runNode(['--import', 'tsx', 'lib/runtime/generate.ts', 'api-client'], run),
  });
}

/** Builds the portal's pages into `.next`. */
export async function buildPages(run: RunOptions = {}): Promise<void> {
  await generateApiClient(run);
  await whenChanged({
    name: 'pages',
    doing: 'Building the pages',
    inputs: [
      'app',
      'components',
      'lib',
      'public',
      'proxy.ts',
      'next.config.ts',
      'postcss.config.mjs',
      'package-lock.json',
    ],
    output: '.next/BUILD_ID',
    run: () =>
      keepingFormer(builtFiles, '.cache/former-pages', async () => {
        const env = { ...run.env, NODE_ENV: 'production' };
        await runNode(['node_modules/next/dist/bin/next', 'build'], { ...run, env });
        await compressFiles(builtFiles);
      }),
  });
}

/** Generates all code of the checkout that tests, type checks and tools need. */
export async function generateCode(): Promise<void> {
  await generateDatabaseClient();
  await generateApiClient();
  await whenChanged({
    name: 'route-types',
    inputs: ['app', 'next.config.ts', 'package-lock.json'],
    output: '.next/types/routes.d.ts',
    run: () => runNode(['node_modules/next/dist/bin/next', 'typegen']),
  });
}

/** Runs in a new process, which loads the current endpoints. */
async function writeApiClient(): Promise<void> {
  const { default: openapiTs, astToString } = await import('openapi-typescript');
  const { endpoints } = await import('@/lib/platform/endpoints');
  const { tags } = await import('@/lib/platform/tags');
  const { openApiDocument } = await import('@/lib/core/api/openapi');
  const { operationModules } = await import('@/lib/core/api/operation-table');
  const { reference } = await import('@/lib/core/api/reference');
  const document = openApiDocument(endpoints, tags, '/');
  const pages = reference(document, tags);
  // As JSON text: TypeScript would check a literal of this size value by value.
  const groups = JSON.stringify(JSON.stringify(pages));
  write(
    referenceGroups,
    "import type { ReferenceGroup } from '@/lib/core/api/reference';\n\n" +
      `export const groups: readonly ReferenceGroup[] = JSON.parse(\n  ${groups},\n);\n`,
  );
  const names = JSON.stringify(pages.map(({ slug, name }) => ({ slug, name })));
  write(referencePages, `export const referencePages: readonly { slug: string; name: string }[] = ${names};\n`);
  for (const [file, text] of Object.entries(operationModules(endpoints))) write(`${operationTable}/${file}`, text);
  // A request may omit a field that has a default.
  write(clientSchema, astToString(await openapiTs(JSON.stringify(document), { defaultNonNullable: false })));
}

/** Replaces the file atomically: a type check may read it at any moment. */
function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, `// Made by \`npm run generate\` from the endpoints.\n${text}`);
  renameSync(`${file}.new`, file);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [what] = process.argv.slice(2);
  if (what === 'api-client') {
    await writeApiClient();
  } else if (what === 'pages') {
    await buildPages();
  } else {
    await generateCode();
  }
}
