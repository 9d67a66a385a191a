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
export async function accountOf(project_id: string): Promise<Pair> {
  const known = pairs.get(project_id);
  if (known && performance.now() - known.read_at < KEPT_MS) return known.pair;
  const pair = (await readOwnKey(project_id)) ?? (await makeAccount(project_id));
  pairs.set(project_id, { pair, read_at: performance.now() });
  return pair;
}

async function makeAccount(project_id: string): Promise<Pair> {
  await createUser(project_id, `Nephele project ${project_id}`, settings().bucketsPerProject);
  const pair = await readOwnKey(project_id);
  if (pair) return pair;
  throw new ApiError('ENGINE_ERROR', 'The outside object storage gave the project’s account no key.');
}

async function readOwnKey(project_id: string): Promise<Pair | undefined> {
  const user = await findUser(project_id);
  const key = user?.keys.find(({ user: holder }) => holder === project_id);
  return key ? { access_key: key.access_key, secret: key.secret_key } : undefined;
}
