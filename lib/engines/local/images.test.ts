import { afterAll } from 'vitest';
import { imageContract } from '../contract/images';
import { localSubject } from './test-subject';

const subject = localSubject();
afterAll(() => subject.dispose());

imageContract('local', async () => subject);
