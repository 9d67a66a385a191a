import { expect, test } from 'vitest';
import { findLinked, lineId, linkedLine } from './log-link';
import { recordsOf } from './log-records';

const time = '1772366461123456000';
const at = 1_772_366_461_123;
const shown = { from: at - 1000, to: at + 1000 };
const texts = Array.from({ length: 5000 }, (_, number) => `line ${number}`);
const records = recordsOf(
  [
    {
      stream: { service: 'compute', resource_id: 'a' },
      values: [...texts, 'twice', 'twice'].map((text) => [time, text]),
    },
    { stream: { service: 'compute', resource_id: 'b' }, values: [[time, 'line 7']] },
  ],
  'forward',
);

test('a link finds its line among thousands of the same moment, of two with the same text, and of two sources', () => {
  const ids = records.map(lineId);
  expect(new Set(ids).size).toBe(records.length);
  for (const record of [records[7], records[5000], records[5001], records[5002]]) {
    const linked = linkedLine(record ? lineId(record) : null, shown);
    expect(linked?.time).toBe(time);
    expect(linked && findLinked(records, linked)).toBe(record);
  }
});

test('a link to a line outside the window, and an incomplete one, name no line', () => {
  const id = `${time}-00c0ffee`;
  expect(linkedLine(id, shown)).toEqual({ id, time });
  expect(linkedLine(id, { from: shown.from - 5000, to: at - 1 })).toBeUndefined();
  expect(linkedLine(null, shown)).toBeUndefined();
  expect(linkedLine(time, shown)).toBeUndefined();
  expect(linkedLine('now-00c0ffee', shown)).toBeUndefined();
});
