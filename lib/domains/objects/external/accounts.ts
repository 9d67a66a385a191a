import { ApiError } from '@/lib/core/api/errors';
import { settings } from '@/lib/settings';
import { createUser, findUser } from './admin';
import type { Pair } from './store';

const KEPT_MS = 60_000;
const pairs = new Map<string, { pair: Pair; read_at: number }>();

/**
 * The key by which the platform acts for a project in the outside store. Its account is made with the first use; nothing about it is
 * stored here, since the store tells its administrator.
 */
export const accountOf = (project_id: string): Promise<Pair> =>
  accountNamed(project_id, `Nephele project ${project_id}`);

/** The same of an account by its name in the store, with a title for people. */
export async function accountNamed(uid: string, title: string): Promise<Pair> {
  const known = pairs.get(uid);
  if (known && performance.now() - known.read_at < KEPT_MS) return known.pair;
  const pair = (await readOwnKey(uid)) ?? (await makeAccount(uid, title));
  pairs.set(uid, { pair, read_at: performance.now() });
  return pair;
}

async function makeAccount(uid: string, title: string): Promise<Pair> {
  await createUser(uid, title, settings().bucketsPerProject);
  const pair = await readOwnKey(uid);
  if (pair) return pair;
  throw new ApiError('ENGINE_ERROR', 'The outside object storage gave the account no key.');
}

async function readOwnKey(uid: string): Promise<Pair | undefined> {
  const user = await findUser(uid);
  const key = user?.keys.find(({ user: holder }) => holder === uid);
  return key ? { access_key: key.access_key, secret: key.secret_key } : undefined;
}
