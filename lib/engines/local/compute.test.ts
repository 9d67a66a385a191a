import { afterAll } from 'vitest';
import { computeContract } from '../contract/compute';
import { localSubject } from './test-subject';

const subject = localSubject();
afterAll(() => subject.dispose());

computeContract('local', async () => subject);
