import { it } from 'vitest';
import { networkIsolation } from '../contract/isolation/network';
import { networkSemantics } from '../contract/semantics/network';
import { testHere } from './test-subject';

// An ordinary user's run has tested this already.
if (process.getuid?.() === 0)
  await testHere((name, prepare) => networkSemantics(name, prepare, networkIsolation), 'user');
else it.skip('tested as this user', () => {});
