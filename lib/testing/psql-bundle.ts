import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** Debian's `psql` is a script that chooses one of these. */
const VERSIONS = '/usr/lib/postgresql';

/**
 * Debian's psql as an archive (`.tar.gz`) that runs on any machine: `./psql`, its libraries and their loader, and the given files.
 */
export function psqlBundle(files: Readonly<Record<string, string>>): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'nephele-test-psql-'));
  try {
    const [version] = readdirSync(VERSIONS).toSorted((one, other) => Number(other) - Number(one));
    const program = join(VERSIONS, version ?? '', 'bin/psql');
    copyFileSync(program, join(folder, 'psql.program'));
    for (const [library] of execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/\/\S+/g))
      copyFileSync(library, join(folder, basename(library)));
    const loader = readdirSync(folder).find((name) => name.startsWith('ld-linux')) ?? '';
    const here = '$(dirname "$0")';
    const start = `#!/bin/sh\nexec "${here}/${loader}" --library-path "${here}" "${here}/psql.program" "$@"\n`;
    writeFileSync(join(folder, 'psql'), start, { mode: 0o755 });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return execFileSync('tar', ['-cz', '-C', folder, '.'], { maxBuffer: 2 ** 27 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
