import type { ApiClient } from '@/lib/client/api';
import type { Role } from '@/lib/client/project';

/**
 * Leaves a user with one role. The new one is given before the others are taken, so that nobody falls out of the project
 * in between, and a refusal on the way leaves what counted before.
 * @throws ApiError 409 for the last admin
 */
export async function changeRole(client: ApiClient, user: { id: string; roles: readonly Role[] }, role: Role) {
  const path = '/api/v1/identity/role-assignments';
  if (!user.roles.includes(role)) await client.POST(path, { body: { user_id: user.id, role } });
  for (const other of user.roles.filter((held) => held !== role)) {
    await client.DELETE(path, { params: { query: { user_id: user.id, role: other } } });
  }
}
