import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { missingOf, programsFor, TINY_PROGRAMS } from '@/lib/engines/local/programs';

type Tool = { program: string; package: string };

/** Programs of the local engines that this host lacks. */
export function missingForEngines(): Tool[] {
  return missingOf([...programsFor(process.getuid?.() === 0 ? 'root' : 'user'), ...TINY_PROGRAMS]);
}

/**
 * Programs for tests only: a browser, fonts for its screenshots, an independent TOTP generator, tools of examples, clients of S3 and PostgreSQL, and
 * what engines need without root, because root's tests also run as an ordinary user.
 */
export function missingForTests(): Tool[] {
  const font = { program: 'LiberationSans-Regular.ttf', package: 'fonts-liberation' };
  const hasFont = existsSync('/usr/share/fonts/truetype/liberation');
  const tools = [
    { program: 'chromium', package: 'chromium' },
    { program: 'oathtool', package: 'oathtool' },
    { program: 'curl', package: 'curl' },
    { program: 'jq', package: 'jq' },
    { program: 'aws', package: 'awscli' },
    { program: 'rclone', package: 'rclone' },
    { program: 's3cmd', package: 's3cmd' },
    { program: 'psql', package: 'postgresql-client' },
  ];
  const boto3 = { program: 'boto3', package: 'python3-boto3' };
  const hasBoto3 = existsSync('/usr/lib/python3/dist-packages/boto3');
  return [...missingOf([...tools, ...programsFor('user')]), ...(hasFont ? [] : [font]), ...(hasBoto3 ? [] : [boto3])];
}

/**
 * Installs the Debian packages of missing programs if this process may. Never fails: it names programs that are still
 * missing, with the command to install them. A failed attempt is repeated only when the missing programs change.
 * @param without the features that do not work without them
 */
export async function installMissing(find: () => Tool[], without: string, signal?: AbortSignal): Promise<void> {
  const wanted = packagesOf(find());
  if (wanted.length === 0) return;
  const attempt = join('.cache', 'system-packages');
  const mayInstall = process.getuid?.() === 0 && onPath('apt-get') && read(attempt) !== wanted.join(' ');
  if (mayInstall) {
    console.log(`Installing ${wanted.join(', ')} …`);
    mkdirSync('.cache', { recursive: true });
    writeFileSync(attempt, wanted.join(' '));
    const install = ['install', '-y', '--no-install-recommends', ...wanted];
    if (!(await apt(install, signal))) {
      await apt(['update'], signal);
      await apt(install, signal);
    }
  }
  const missing = packagesOf(find());
  if (missing.length > 0 && !signal?.aborted) {
    console.log(`${without} without these packages. To install them:\n  sudo apt-get install ${missing.join(' ')}`);
  }
}

const packagesOf = (tools: Tool[]) => [...new Set(tools.map((tool) => tool.package))].sort();

const onPath = (program: string) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));

const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

function apt(args: string[], signal?: AbortSignal): Promise<boolean> {
  const child = spawn('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=120', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: 'ignore',
    signal,
  });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  });
}
