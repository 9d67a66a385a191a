import { expect, test } from 'vitest';
import { yamlProblems } from './yaml-problems';

test('a valid text has no problems, with any number of documents', () => {
  expect(yamlProblems('')).toEqual([]);
  expect(yamlProblems('name: web\nports:\n  - 80\n---\nname: db\n')).toEqual([]);
});

test('a problem has its line and column, and lies inside the text', () => {
  const text = 'name: web\nports: [80, 443\nimage: nginx\n';
  const [problem] = yamlProblems(text);
  expect(problem?.line).toBeGreaterThanOrEqual(2);
  expect(problem?.message).not.toContain('\n');
  expect(problem?.to).toBeLessThanOrEqual(text.length);
});

test('a duplicate key is a problem at its second occurrence', () => {
  expect(yamlProblems('a: 1\nb: 2\na: 3\n')).toEqual([
    { line: 3, column: 1, message: 'Map keys must be unique', from: 10, to: 11 },
  ]);
});

test('tabs for indentation are a problem', () => {
  expect(yamlProblems('a:\n\tb: 1\n').map(({ line }) => line)).toContain(2);
});

test('problems of all documents are listed by line', () => {
  const lines = yamlProblems('a: 1\na: 2\n---\nb: 1\nb: 2\n').map(({ line }) => line);
  expect(lines).toEqual([2, 5]);
});
