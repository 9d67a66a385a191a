import type { Prisma } from './generated/client';
import { insert, type NewRow, raw, type Sql } from './sql';

type Hint = Pick<NewRow<Prisma.ChangeUncheckedCreateInput>, 'project_id' | 'topic' | 'resource_id'> & {
  /** Default: the platform's time. */
  at?: Date | Sql;
};

/**
 * Inserts a hint for each row of `from`, which makes open pages fetch anew what it names. The values
 * may be expressions over that row. Without `project_id` only the back office gets it. Call `signalChange` after the
 * commit.
 */
export function hintInsert({ at = raw('platform_now()'), ...hint }: Hint, from?: Sql): Sql {
  return insert<Prisma.ChangeUncheckedCreateInput>('changes', { ...hint, at }, from);
}
