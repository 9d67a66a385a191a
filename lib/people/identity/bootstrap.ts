import { now } from '@/lib/clock';
import { newId } from '@/lib/core/db/id';
import { prisma } from '@/lib/core/db/prisma';
import type { Settings } from '@/lib/settings';
import { generatePassword, hashPassword } from './passwords';

/** An account of the first start with its plain-text password: shown once, stored nowhere. */
export type FirstAccount = { role: string; email: string; password: string };

/** An arbitrary number that must stay the same in all releases. */
const advisoryLock = 5_271_009_383;

/**
 * Creates the first accounts: a platform administrator, and a demo project with its admin. Only on the first start, and
 * by only one of several processes; later starts change nothing, whatever `BOOTSTRAP_*` says.
 */
export async function bootstrap(
  settings: Pick<Settings, 'bootstrapAdminPassword' | 'bootstrapTenantPassword'>,
): Promise<{ created: boolean; accounts: FirstAccount[] }> {
  if (await prisma().user.findFirst({ select: { id: true } })) return { created: false, accounts: [] };
  const administrator: FirstAccount = {
    role: 'platform administrator',
    email: 'admin@nephele.local',
    password: settings.bootstrapAdminPassword ?? generatePassword(),
  };
  const owner: FirstAccount = {
    role: 'admin of project Demo',
    email: 'owner@demo.nephele.local',
    password: settings.bootstrapTenantPassword ?? generatePassword(),
  };
  const at = now();
  const times = { created_at: at, updated_at: at };
  const administratorHash = await hashPassword(administrator.password);
  const ownerHash = await hashPassword(owner.password);

  const created = await prisma().$transaction(async (transaction) => {
    await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${advisoryLock})`;
    if (await transaction.user.findFirst({ select: { id: true } })) return false;
    const project = await transaction.project.create({
      data: { id: newId(), name: 'Demo', slug: 'demo', status: 'active', ...times, account: { create: {} } },
    });
    const first = { name: 'Administrator', email: administrator.email, password_hash: administratorHash };
    await transaction.user.create({ data: { id: newId(), ...first, administrator: true, ...times } });
    await transaction.user.create({
      data: {
        id: newId(),
        name: 'Owner',
        email: owner.email,
        password_hash: ownerHash,
        ...times,
        memberships: {
          create: {
            project_id: project.id,
            status: 'active',
            ...times,
            role_assignments: { create: { role: 'admin', created_at: at } },
          },
        },
      },
    });
    return true;
  });
  return { created, accounts: created ? [administrator, owner] : [] };
}
