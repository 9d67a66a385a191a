import { cpSync, existsSync, rmSync, statSync } from 'node:fs';

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Builds, and keeps files that the builds of the last week put into `served`. A page that is open during an upgrade
 * loads its menus and dialogs from its own build; without them, a half-completed form could not be finished. File names
 * carry a content hash, so builds do not collide. `aside` survives an interrupted build.
 */
export async function keepingFormer(served: string, aside: string, build: () => Promise<unknown>): Promise<void> {
  const youngest = Date.now() - WEEK_MS;
  const recent = (path: string) => statSync(path).isDirectory() || statSync(path).mtimeMs > youngest;
  const options = { recursive: true, force: false, preserveTimestamps: true, filter: recent };
  if (existsSync(served)) cpSync(served, aside, options);
  await build();
  if (!existsSync(aside)) return;
  cpSync(aside, served, options);
  rmSync(aside, { recursive: true });
}
