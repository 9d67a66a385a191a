import { expect, test } from 'vitest';
import { FIRST_EVENT, freshName, keepTestEvents, payloadProblem, readTestEvents } from './test-events';

const storage = () => {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
};

test('each function keeps its own events', () => {
  const browser = storage();
  keepTestEvents('one', [{ name: 'Order', payload: '{}' }], browser);
  expect(readTestEvents('one', browser)).toEqual([{ name: 'Order', payload: '{}' }]);
  expect(readTestEvents('other', browser)).toEqual([FIRST_EVENT]);
});

test.each(['', 'no JSON', '{}', '[]', '[1]', '[{"name": 1}]'])(
  'what is no list of events (%s) is left aside',
  (text) => {
    expect(readTestEvents('one', { getItem: () => text })).toEqual([FIRST_EVENT]);
  },
);

test('a storage that is full loses the events and nothing else', () => {
  const full = () => {
    throw new Error('full');
  };
  expect(() => keepTestEvents('one', [], { setItem: full })).not.toThrow();
});

test('a new event has a name of its own', () => {
  expect(freshName([FIRST_EVENT])).toBe('Event 2');
  expect(freshName([FIRST_EVENT, { name: 'Event 3', payload: '' }])).toBe('Event 4');
});

test('a payload is any JSON', () => {
  expect([payloadProblem('{}'), payloadProblem('1'), payloadProblem('null')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(payloadProblem('{')).toBe('The event must be JSON.');
});
