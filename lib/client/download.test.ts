import { expect, test } from 'vitest';
import { fileNameOf } from './download';

test.each([
  ['laptop', 'laptop'],
  ['my key/1', 'my-key-1'],
  ['../../etc/passwd', 'etc-passwd'],
  ['Schlüssel', 'Schlüssel'],
  ['...', 'file'],
])('a file named after %s is called %s, and is in no other folder', (name, file) => {
  expect(fileNameOf(name)).toBe(file);
});
