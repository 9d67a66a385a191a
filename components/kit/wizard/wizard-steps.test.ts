import { expect, test } from 'vitest';
import { openSteps, stepOf } from './wizard-steps';

const steps = (missing?: string) => [
  { name: 'choose', label: 'Choose', missing },
  { name: 'check', label: 'Check' },
  { name: 'review', label: 'Review' },
  { name: 'run', label: 'Run' },
];

test('the address decides the step', () => {
  expect(stepOf(steps(), 'review')).toBe(2);
  expect(stepOf(steps(), null)).toBe(0);
  expect(stepOf(steps(), 'elsewhere')).toBe(0);
});

test('no address leads past a step that lacks something', () => {
  expect(stepOf(steps('Choose a file.'), 'run')).toBe(0);
  expect(openSteps(steps('Choose a file.'))).toBe(0);
  expect(openSteps(steps())).toBe(3);
});
