import { afterAll } from 'vitest';
import { storageContract } from '../contract/storage';
import { localSubject } from './test-subject';

const subject = localSubject();
afterAll(() => subject.dispose());

storageContract('local', async () => subject);
