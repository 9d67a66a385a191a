import { expect, test } from 'vitest';
import { keysOf } from './keys';

test('a text is typed key by key, a line break as one press of Return', () => {
  expect(keysOf('a\r\nZ\t').map(({ keysym }) => keysym)).toEqual([0x61, 0xff0d, 0x5a, 0xff09]);
});

test('letters beyond Latin-1 are typed too, and control characters never', () => {
  expect(keysOf('é€😀\u001b[31m\u007f').map(({ keysym }) => keysym)).toEqual([
    0xe9, 0x10020ac, 0x101f600, 0x5b, 0x33, 0x31, 0x6d,
  ]);
});

test('what stands above a key is typed with Shift', () => {
  expect(keysOf('aA1!').map(({ shift }) => shift)).toEqual([false, true, false, true]);
});
