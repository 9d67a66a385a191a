import { expect, test } from 'vitest';
import { chosenIn, withChoice } from './request';

test('a choice changes its field of the body, and nothing else', () => {
  const text = JSON.stringify({ name: 'web', protocol: 'HTTP', port: 80 });
  expect(chosenIn(text)).toEqual({ name: 'web', protocol: 'HTTP', port: 80 });
  expect(JSON.parse(withChoice(text, 'protocol', 'TCP'))).toEqual({ name: 'web', protocol: 'TCP', port: 80 });
  expect(JSON.parse(withChoice(text, 'protocol', ''))).toEqual({ name: 'web', port: 80 });
});

test('a body that is not an object yet has no choices, and is left alone', () => {
  for (const text of ['', '{"name":', '[]', 'null', '3']) {
    expect(chosenIn(text)).toBeUndefined();
    expect(withChoice(text, 'protocol', 'TCP')).toBe(text);
  }
});
