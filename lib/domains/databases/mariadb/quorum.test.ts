import { describe, expect, test } from 'vitest';
import { furthest } from './quorum';

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
