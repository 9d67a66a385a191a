import { it } from 'vitest';
import { networkContract } from '../contract/network';
import { testHere } from './test-subject';

// An ordinary user's run has tested this already.
if (process.getuid?.() === 0) await testHere(networkContract, 'user');
else it.skip('tested as this user', () => {});
