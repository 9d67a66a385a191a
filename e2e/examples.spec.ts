import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { asScript, Comparison, outputsOf, readSteps } from './guide';
import { addPerson, expect, type Person, test } from './support';

interface Ended {
  /** The error output, if it failed. */
  failure: string | null;
  stdout: string;
}

/** Runs a program like a reader of the example, who only knows the platform's address and an account. */
function run(program: string, args: string[], { email, password }: Person): Promise<Ended> {
  const env = { ...process.env, NEPHELE: process.env.E2E_BASE_URL, EMAIL: email, PASSWORD: password };
  return new Promise((resolve) =>
    execFile(program, args, { env }, (error, stdout, stderr) =>
      resolve({ failure: error && (stderr || error.message), stdout }),
    ),
  );
}

/** The expected final output of each script: an example without an expectation proves nothing. */
const expected: Record<string, RegExp[]> = {
  'machine.sh': [
    /"status": "active"/,
    /"status": "in_use"/,
    /<h1>example<\/h1>/,
    /No response, as expected/,
    ...['vcpus', 'ram_gb', 'storage_tb', 'instances', 'volumes'].map(
      (dimension) => new RegExp(`"${dimension}":\\{[^}]*"used":0\\.0,`),
    ),
  ],
  'traffic.sh': [
    /^\{"example-1":"down","example-2":"up"\}\n\{"example-1":"up","example-2":"up"\}$/m,
    /^<h1>example-1<\/h1>\n<h1>example-2<\/h1>$/m,
    /^([1-9]\d+) requests, \1 answered with 200$/m,
    /^\{"state":"running","weights":\{"stable":90,"next":10\}\}$/m,
    /"state": "rolled_back"/,
    /"reason": "100\.0 % of \d+ responses of next were errors; the limit is 5 %\."/,
    /"stable": 100,\s+"next": 0\b/,
    /^ +50 200\n\n/m,
    /^load balancers: 0$/m,
    ...['vcpus', 'ram_gb', 'instances', 'api_gateways'].map(
      (dimension) => new RegExp(`"${dimension}":\\{[^}]*"used":0\\.0,`),
    ),
  ],
  'functions.sh': [
    /^\{"version":1,"status":"ready","size_bytes":\d+\}$/m,
    /^\{"status":"succeeded","result":\{"size":"3\.0 MB","version":"1"\}\}$/m,
    /^failed\nKeyError\n[\s\S]*octets/m,
    /^\{"status":"succeeded","result":\{"size":"1\.0 kB","version":"3"\}\}$/m,
    /^one event\n\{"status":"succeeded","mode":"async","attempts":1,"result":\{"size":"2\.5 kB","version":"3"\}\}$/m,
    /^platform: START RequestId: [\s\S]*^stdout: counting 2500$[\s\S]*^platform: REPORT RequestId: /m,
    /^401\n\{"size":"42 Bytes","version":"3"\}$/m,
    /^([1-9]\d*) answered, \d+ refused, \1 billed$/m,
    /"serverless_functions":\{[^}]*"used":0\.0,/,
  ],
};

const scripts = readdirSync('docs/examples').filter((name) => name.endsWith('.sh'));

for (const script of scripts) {
  test(`docs/examples/${script} does what it says`, async ({ tenant, request }) => {
    test.setTimeout(600_000);
    const { failure, stdout } = await run(`docs/examples/${script}`, [], await addPerson(request, tenant, 'member'));
    expect(failure, stdout.slice(-1000)).toBeNull();
    for (const words of expected[script] ?? [/^an expectation$/]) expect(stdout).toMatch(words);
  });
}

test('the commands of docs/api-guide.md run in order, and print the documented output', async ({ tenant }) => {
  test.setTimeout(600_000);
  const page = 'docs/api-guide.md';
  const steps = readSteps(page);
  const { failure, stdout } = await run('bash', ['-c', asScript(steps)], tenant.admin);
  const outputs = outputsOf(stdout);
  const comparison = new Comparison();
  for (const [index, printed] of outputs.entries()) {
    const step = steps[index];
    // The last output of a failed script may be incomplete.
    if (failure !== null && index === outputs.length - 1)
      expect(failure, `${page}:${step?.line}: ${printed}`).toBeNull();
    comparison.expectSame(`${page}:${step?.line}`, printed, step?.shown ?? null);
  }
  expect(outputs.length).toBe(steps.length);
  expect(steps.length).toBeGreaterThan(20);
});
