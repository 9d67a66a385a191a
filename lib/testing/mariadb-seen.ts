import type { Member } from '@/lib/domains/databases/cluster/clusters';
import type { Seen } from '@/lib/domains/databases/mariadb/state';

const member = (ip: string): Member => ({
  id: ip,
  ordinal: 1,
  group_no: 1,
  version: '11.8',
  role: 'standby',
  status: 'running',
  status_reason: null,
  incarnation: 1,
  in_sync: false,
  leaving: false,
  lag_bytes: null,
  port_id: '',
  mac: '',
  ip,
});
/** A member of MariaDB in its group, which counts these addresses. */
export const serving = (ip: string, group: string[] = [], isInGroup = true): Seen => ({
  member: member(ip),
  state: { isUp: true, isInGroup, isParted: !isInGroup, isSynced: true, committed: 7, group },
});
/** One whose server does not run; its first process is in a phase. */
export const ended = (ip: string, phase = 'preparing'): Seen => ({
  member: member(ip),
  state: { isUp: false, failure: 'refused', desk: { phase, uuid: 'a', seqno: 6 } },
});
