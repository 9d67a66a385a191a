import { expect, test } from 'vitest';
import { languageOf, loadLanguage } from './languages';

test.each([
  ['index.ts', 'typescript'],
  ['handler.MJS', 'javascript'],
  ['cloud-config.yml', 'yaml'],
  ['README.md', 'markdown'],
  ['schema.sql', 'sql'],
  ['Dockerfile', 'text'],
  ['notes.constructor', 'text'],
  ['', 'text'],
])('the language of %s is %s', (name, language) => expect(languageOf(name)).toBe(language));

test.each(['javascript', 'typescript', 'json', 'markdown', 'python', 'sql', 'yaml', 'text'] as const)(
  'the syntax of %s can be loaded',
  async (language) => expect(await loadLanguage(language)).toBeDefined(),
);
