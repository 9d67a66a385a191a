import { expect, test } from 'vitest';
import { newId } from '@/lib/db/id';
import { testDatabase } from '@/lib/testing/database';
import { readMeter } from './meter';

testDatabase();

test('what does not exist has no meter: nothing spent is something else', async () => {
  await expect(readMeter(newId())).rejects.toThrow('there is no project');
});
