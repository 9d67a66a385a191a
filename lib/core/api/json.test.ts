import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonNumber, writeJson } from './json';

test('quota numbers keep a decimal point and money has at most six decimals', () => {
  const value = {
    limit: JsonNumber.decimal('64.000000'),
    half: JsonNumber.decimal('4.500000'),
    cost: JsonNumber.money('0.12345675'),
    even: JsonNumber.money('0.0000005'),
    big: JsonNumber.money('12345678901234567890.5'),
  };
  expect(writeJson(value)).toBe('{"limit":64.0,"half":4.5,"cost":0.123457,"even":0,"big":12345678901234567890.5}');
});

test('everything else is written as JSON.stringify writes it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(writeJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
  expect(writeJson({ a: undefined, b: [undefined], c: new Date(0) })).toBe(
    '{"b":[null],"c":"1970-01-01T00:00:00.000Z"}',
  );
});
