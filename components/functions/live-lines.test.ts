import { describe, expect, test } from 'vitest';
import { type LiveLine, lineOf, liveText, Unseen } from './live-lines';

const line = (message: string, at = '2026-11-25T14:02:07.123Z'): LiveLine => ({
  at,
  invocation_id: 'i1',
  stream: 'stdout',
  message,
});

describe('lines of a function that is followed', () => {
  test('a new connection repeats no line, and keeps one that was written twice', () => {
    const known = [line('twice'), line('once')];
    const unseen = new Unseen(known);
    const sent = [line('twice'), line('twice'), line('once'), line('later', '2026-11-25T14:02:08.000Z')];
    expect(sent.filter((one) => unseen.isNew(one)).map(({ message }) => message)).toEqual(['twice', 'later']);
  });

  test('an event of another form is no line', () => {
    expect(lineOf('{"lines":3}')).toBeUndefined();
    expect(lineOf('{')).toBeUndefined();
    expect(lineOf(JSON.stringify(line('hello')))).toEqual(line('hello'));
  });

  test('each line begins with its time, and those of the platform are dim', () => {
    const dim = String.fromCharCode(27);
    expect(liveText([line('hello'), { ...line('START'), stream: 'platform' }])).toBe(
      `14:02:07.123 hello\n${dim}[2m14:02:07.123 START${dim}[0m`,
    );
  });
});
