import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '@/lib/testing/database';
import { createBucket } from '@/lib/testing/domains/objects';
import { createPair, objectWorld, type Pair } from '@/lib/testing/object-world';
import { api, createProject, type TestProject } from '@/lib/testing/world';

const run = promisify(execFile);

testDatabase();
const call = api();
const world = objectWorld();
let acme: TestProject;
let pair: Pair;
let folder: string;
let large: string;

const LARGE_BYTES = 21 * 1024 ** 2 + 7;

beforeAll(async () => {
  acme = await createProject('acme');
  pair = await createPair(acme, call);
  folder = mkdtempSync(join(tmpdir(), 'nephele-clients-'));
  large = join(folder, 'large.bin');
  writeFileSync(large, Buffer.alloc(LARGE_BYTES, 'nephele object storage '));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a client with the key in its environment, and nothing else of this process's. */
async function client(program: string, ...args: string[]): Promise<string> {
  const env: NodeJS.ProcessEnv = {
    NODE_ENV: 'test',
    PATH: process.env.PATH,
    HOME: folder,
    AWS_ACCESS_KEY_ID: pair.access_key,
    AWS_SECRET_ACCESS_KEY: pair.secret_key,
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_EC2_METADATA_DISABLED: 'true',
    ENDPOINT: world.url,
  };
  const { stdout } = await run(program, args, { env, cwd: folder, maxBuffer: 64 * 1024 ** 2 });
  return stdout;
}

/** Programs are looked for on PATH, libraries at their absolute path. */
const isInstalled = (wanted: string) =>
  wanted.startsWith('/') ? existsSync(wanted) : spawnSync(wanted, ['--version']).status === 0;

/** A test of a client, skipped with its name where the client is not installed. */
function withClient(name: string, wanted: string, body: () => Promise<void>): void {
  const isThere = isInstalled(wanted);
  test.skipIf(!isThere)(isThere ? name : `${name} (skipped: ${wanted} is not installed)`, body, 240_000);
}

const same = (one: string, other: string) => readFileSync(one).equals(readFileSync(other));

withClient('aws s3 and s3api: copy in parts, sync, list, presign, remove', 'aws', async () => {
  const name = await createBucket(acme, call);
  const aws = (...args: string[]) => client('aws', '--endpoint-url', world.url, ...args);
  await aws('s3', 'cp', large, `s3://${name}/a/large.bin`);
  await aws('s3', 'cp', `s3://${name}/a/large.bin`, join(folder, 'back.bin'));
  expect(same(large, join(folder, 'back.bin'))).toBe(true);
  expect(await aws('s3', 'ls', `s3://${name}/a/`)).toContain(`${LARGE_BYTES} large.bin`);
  const head = JSON.parse(await aws('s3api', 'head-object', '--bucket', name, '--key', 'a/large.bin'));
  expect([head.ContentLength, head.ETag]).toEqual([LARGE_BYTES, expect.stringMatching(/-3"$/)]);
  await aws('s3', 'mv', `s3://${name}/a/large.bin`, `s3://${name}/b.bin`);
  const url = (await aws('s3', 'presign', `s3://${name}/b.bin`)).trim();
  expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(LARGE_BYTES);
  await aws('s3', 'rb', '--force', `s3://${name}`);
  expect(await aws('s3', 'ls')).not.toContain(name);
});

withClient('rclone: sync and check of 2,000 files', 'rclone', async () => {
  const name = await createBucket(acme, call);
  const source = join(folder, 'many');
  for (let index = 0; index < 2000; index += 1) {
    const inside = join(source, `${index % 20}`, 'ü 日');
    mkdirSync(inside, { recursive: true });
    writeFileSync(join(inside, `file ${index}.txt`), `content ${index} `.repeat(index % 400));
  }
  const remote = `:s3,provider=Other,env_auth=true,region=us-east-1,endpoint='${world.url}':${name}/copy`;
  const options = ['--transfers', '8', '--checkers', '8', '--retries', '1'];
  await client('rclone', 'sync', source, remote, ...options);
  await client('rclone', 'check', source, remote, ...options);
  await client('rclone', 'check', '--download', join(source, '3'), `${remote}/3`, ...options);
  rmSync(join(source, '7'), { recursive: true });
  await client('rclone', 'sync', source, remote, ...options);
  expect((await client('rclone', 'lsf', '-R', '--files-only', remote)).trim().split('\n')).toHaveLength(1900);
});

withClient('s3cmd: put in parts, get, list, copy, delete', 's3cmd', async () => {
  const name = await createBucket(acme, call);
  const { host } = new URL(world.url);
  const s3cmd = (...args: string[]) =>
    client(
      's3cmd',
      `--access_key=${pair.access_key}`,
      `--secret_key=${pair.secret_key}`,
      `--host=${host}`,
      `--host-bucket=${host}`,
      '--no-ssl',
      '--region=us-east-1',
      ...args,
    );
  await s3cmd('put', '--multipart-chunk-size-mb=5', large, `s3://${name}/large.bin`);
  await s3cmd('get', `s3://${name}/large.bin`, join(folder, 's3cmd.bin'));
  expect(same(large, join(folder, 's3cmd.bin'))).toBe(true);
  await s3cmd('cp', `s3://${name}/large.bin`, `s3://${name}/copy.bin`);
  expect(await s3cmd('ls', `s3://${name}/`)).toContain('copy.bin');
  await s3cmd('del', '--recursive', '--force', `s3://${name}/`);
  expect(await s3cmd('ls', `s3://${name}/`)).toBe('');
});

withClient('boto3: managed transfer, metadata, list of versions', '/usr/lib/python3/dist-packages/boto3', async () => {
  const name = await createBucket(acme, call);
  const script = `
import boto3, os, sys, hashlib
from botocore.config import Config
s3 = boto3.client("s3", endpoint_url=os.environ["ENDPOINT"], config=Config(s3={"addressing_style": "path"}))
bucket, path = sys.argv[1:]
s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
s3.upload_file(path, bucket, "big", ExtraArgs={"Metadata": {"color": "blue"}, "ContentType": "text/x-test"})
s3.put_object(Bucket=bucket, Key="big", Body=b"small")
versions = s3.list_object_versions(Bucket=bucket)["Versions"]
old = [v for v in versions if not v["IsLatest"]][0]["VersionId"]
answer = s3.get_object(Bucket=bucket, Key="big", VersionId=old)
same = hashlib.sha256(answer["Body"].read()).digest() == hashlib.sha256(open(path, "rb").read()).digest()
print(same, answer["Metadata"], answer["ContentType"], s3.get_object(Bucket=bucket, Key="big")["Body"].read())
`;
  const out = await client('/usr/bin/python3', '-c', script, name, large);
  expect(out.trim()).toBe("True {'color': 'blue'} text/x-test b'small'");
});
