import { cpSync, existsSync, rmSync, statSync } from 'node:fs';

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Builds anew, and keeps what the builds of the last week served from `served`. A page that is open across an upgrade
 * loads its menus and dialogs from the build that it came from: without them, a form that is half filled in could not be
 * finished. Names carry a hash of their content, so builds do not meet. `aside` outlives a build that is broken off.
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
