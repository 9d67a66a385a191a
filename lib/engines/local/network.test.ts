import { afterAll } from 'vitest';
import { networkContract } from '../contract/network';
import { localSubject } from './test-subject';

const subject = localSubject();
afterAll(() => subject.dispose());

networkContract('local', async () => subject);
