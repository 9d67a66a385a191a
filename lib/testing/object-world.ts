import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { afterAll, beforeAll } from 'vitest';
import { serveObjects } from '@/lib/domains/objects/serve';
import { forgetSettings } from '@/lib/settings';
import type { Call } from './fixture';
import type { TestProject } from './world';

/** An access key of a project, made by its member. */
export type Pair = { id: string; access_key: string; secret_key: string };

export async function createPair(
  project: TestProject,
  call: Call,
  body: object = {},
  token = project.users.member.token,
): Promise<Pair> {
  const { status, body: pair } = await call('POST', '/storage/credentials', { token, body });
  if (status !== 201) throw new Error(`no access key: ${status} ${JSON.stringify(pair)}`);
  return pair as Pair;
}

/** The S3 endpoint of this process, on a port of its own. */
export function objectWorld() {
  let port = 0;
  let stop: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const serving = await serveObjects({ host: '127.0.0.1', port: 0 }, { take: () => () => {} });
    ({ port } = serving);
    stop = serving.stop;
    process.env.S3_PUBLIC_URL = `http://127.0.0.1:${port}`;
    forgetSettings();
  });
  afterAll(async () => {
    await stop?.();
  });
  return {
    get url() {
      return `http://127.0.0.1:${port}`;
    },
    /** The AWS SDK with its defaults, and path style as for any endpoint without a domain. */
    client: ({ access_key, secret_key }: Pair, more: S3ClientConfig = {}) =>
      new S3Client({
        endpoint: `http://127.0.0.1:${port}`,
        region: 'us-east-1',
        forcePathStyle: true,
        credentials: { accessKeyId: access_key, secretAccessKey: secret_key },
        maxAttempts: 1,
        ...more,
      }),
  };
}
