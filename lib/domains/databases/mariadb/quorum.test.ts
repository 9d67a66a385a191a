import { describe, expect, test } from 'vitest';
import { ended, serving } from '@/lib/testing/mariadb-seen';
import { furthest, joining } from './quorum';

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

describe('a member that came back', () => {
  const [waiting, other] = [ended('10.0.0.3', 'waiting'), '10.0.0.2'];
  const counts = serving('10.0.0.1', ['10.0.0.1', other, '10.0.0.3']);
  const putOut = serving(other, ['10.0.0.1', other]);
  const longAgo = () => performance.now() - 10_000;

  test('joins only once no member of the group counts its former process, and a while later', () => {
    const since = new Map([['put out 10.0.0.3', longAgo()]]);
    expect(joining({ serving: [counts, putOut], seen: [waiting] }, since)).toEqual([]);
    expect(joining({ serving: [putOut], seen: [waiting] }, since)).toEqual([]);
    since.set('put out 10.0.0.3', longAgo());
    expect(joining({ serving: [putOut], seen: [waiting] }, since)).toEqual([waiting.member]);
  });
  test('is not kept away by one that has lost the group', () => {
    const lost = serving('10.0.0.1', ['10.0.0.1', '10.0.0.3'], false);
    const since = new Map([['put out 10.0.0.3', longAgo()]]);
    expect(joining({ serving: [lost, putOut], seen: [waiting] }, since)).toEqual([waiting.member]);
  });
  test('is told nothing until it is waiting to be told', () => {
    const since = new Map(['10.0.0.3', '10.0.0.4'].map((ip) => [`put out ${ip}`, longAgo()]));
    const seen = [ended('10.0.0.3', 'preparing'), ended('10.0.0.4', 'starting')];
    expect(joining({ serving: [putOut], seen }, since)).toEqual([]);
  });
});
