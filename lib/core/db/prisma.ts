import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client';
import { pool } from './pool';

declare global {
  var nephelePrisma: PrismaClient | undefined;
}

/** The Prisma client on the process's own connection pool, for reads and writes off the hot path. */
export function prisma(): PrismaClient {
  globalThis.nephelePrisma ??= new PrismaClient({ adapter: new PrismaPg(pool()) });
  return globalThis.nephelePrisma;
}
