import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { addPerson, expect, test } from './support';

const run = promisify(execFile);

/** What a script must have said in the end, by its name: an example without an expectation proves nothing. */
const expected: Record<string, RegExp[]> = {
  'machine.sh': [
    /"status": "active"/,
    /"status": "in_use"/,
    /<h1>example<\/h1>/,
    /No answer, as it should be/,
    ...['vcpus', 'ram_gb', 'storage_tb', 'instances', 'volumes'].map(
      (dimension) => new RegExp(`"${dimension}":\\{[^}]*"used":0\\.0,`),
    ),
  ],
};

const scripts = readdirSync('docs/examples').filter((name) => name.endsWith('.sh'));

for (const script of scripts) {
  test(`docs/examples/${script} does what it says`, async ({ tenant, request }) => {
    test.setTimeout(600_000);
    const { email, password } = await addPerson(request, tenant, 'member');
    const env = { ...process.env, NEPHELE: process.env.E2E_BASE_URL, EMAIL: email, PASSWORD: password };
    const { stdout } = await run(`docs/examples/${script}`, { env });
    for (const words of expected[script] ?? [/^an expectation$/]) expect(stdout).toMatch(words);
  });
}
