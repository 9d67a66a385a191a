import { describe, expect, test } from 'vitest';
import type { Member } from '../cluster/clusters';
import { furthest, joining } from './quorum';
import type { Seen } from './state';

const at = (role: 'primary' | 'standby', uuid: string, seqno: number) => ({ member: { role }, desk: { uuid, seqno } });

describe('the member that begins a cluster again', () => {
  test('is the one whose data go furthest', () => {
    const ahead = at('standby', 'a', 9);
    expect(furthest([at('primary', 'a', 7), ahead, at('standby', 'a', 8)])).toBe(ahead);
  });
  test('is the primary among equals', () => {
    const primary = at('primary', 'a', 7);
    expect(furthest([at('standby', 'a', 7), primary])).toBe(primary);
  });
  test('has the primary’s history, however far another one goes', () => {
    const primary = at('primary', 'a', 7);
    expect(furthest([at('standby', 'b', 900), primary, at('standby', 'a', 6)])).toBe(primary);
  });
  test('is nobody while the primary is away and the others have different histories', () => {
    expect(furthest([at('standby', 'a', 7), at('standby', 'b', 9)])).toBeUndefined();
    expect(furthest([])).toBeUndefined();
  });
});

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
const serving = (ip: string, group: string[], isInGroup = true): Seen => ({
  member: member(ip),
  state: { isUp: true, isInGroup, isParted: !isInGroup, isSynced: true, committed: 7, group },
});
const back = (ip: string, phase: string): Seen => ({
  member: member(ip),
  state: { isUp: false, failure: 'refused', desk: { phase, uuid: 'a', seqno: 6 } },
});

describe('a member that came back', () => {
  const waiting = back('10.0.0.3', 'waiting');
  test('joins only once no member of the group counts its former process', () => {
    const knows = serving('10.0.0.1', ['10.0.0.1', '10.0.0.2', '10.0.0.3']);
    const has = serving('10.0.0.2', ['10.0.0.1', '10.0.0.2']);
    expect(joining([knows, has], [knows, has, waiting])).toEqual([]);
    expect(joining([has], [has, waiting])).toEqual([waiting.member]);
  });
  test('is not kept away by one that has lost the group', () => {
    const lost = serving('10.0.0.1', ['10.0.0.1', '10.0.0.3'], false);
    const has = serving('10.0.0.2', ['10.0.0.2']);
    expect(joining([lost, has], [waiting])).toEqual([waiting.member]);
  });
  test('is told nothing before it waits for a word', () => {
    const has = serving('10.0.0.2', ['10.0.0.2']);
    expect(joining([has], [has, back('10.0.0.3', 'preparing'), back('10.0.0.4', 'starting')])).toEqual([]);
  });
});
