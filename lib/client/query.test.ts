import { QueryObserver } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { ApiError } from './errors';
import { createQueryClient } from './query';
import { invalidateTopics } from './topics';

/** Observes the answers of some paths as open pages do, and counts how often each is read. */
async function showing(...paths: string[]) {
  const client = createQueryClient();
  const reads = new Map<string, number>();
  for (const path of paths) {
    const queryFn = () => {
      reads.set(path, (reads.get(path) ?? 0) + 1);
      return path;
    };
    new QueryObserver(client, { queryKey: ['get', path, {}], queryFn }).subscribe(() => {});
  }
  await vi.waitFor(() => expect(reads.size).toBe(paths.length), 15_000);
  return { client, reads };
}

const secrets = '/api/v1/vault/secrets';
const users = '/api/v1/identity/users';
const quota = '/api/v1/tenant/quota';

test('a change refetches the data shown, with the affected quota and audit log', async () => {
  const { client, reads } = await showing(secrets, users, quota, '/api/v1/activity');
  await invalidateTopics(client, new Set(['secret']));
  expect(Object.fromEntries(reads)).toEqual({ [secrets]: 2, [users]: 1, [quota]: 2, '/api/v1/activity': 2 });
});

test('a change of an unknown type invalidates everything, so that no page is wrong', async () => {
  const { client, reads } = await showing(secrets, users);
  await invalidateTopics(client, new Set(['something_new']));
  expect([...reads.values()]).toEqual([2, 2]);
});

test('data that no open page shows is not refetched', async () => {
  const { client } = await showing(users);
  const reader = vi.fn(() => 'value');
  await client.fetchQuery({ queryKey: ['get', secrets, {}], queryFn: reader });
  await invalidateTopics(client, new Set(['secret']));
  expect(reader).toHaveBeenCalledTimes(1);
});

test('a refusal by a frozen budget refetches the budget, so that every page shows it', async () => {
  const budget = '/api/v1/billing/budget';
  const { client, reads } = await showing(budget, secrets);
  const create = client.getMutationCache().build(client, {
    mutationFn: () => Promise.reject(new ApiError('BUDGET_FROZEN', 'The budget is used up.', 402, undefined)),
  });
  await expect(create.execute(undefined)).rejects.toThrow('The budget is used up.');
  await vi.waitFor(() => expect(Object.fromEntries(reads)).toEqual({ [budget]: 2, [secrets]: 1 }), 15_000);
});
