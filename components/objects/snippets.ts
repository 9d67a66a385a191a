/** What a client needs to know. */
export type Connection = { endpoint: string; region: string; access_key: string; bucket: string };

const SECRET = '$S3_SECRET_KEY';

/** Ready configurations, with the secret in a variable. */
export const snippets: readonly { name: string; label: string; code: (connection: Connection) => string }[] = [
  {
    name: 'aws',
    label: 'AWS CLI',
    code: ({ endpoint, region, access_key, bucket }) => `export AWS_ACCESS_KEY_ID=${access_key}
export AWS_SECRET_ACCESS_KEY="${SECRET}"
export AWS_DEFAULT_REGION=${region}
aws --endpoint-url ${endpoint} s3 cp file.txt s3://${bucket}/
aws --endpoint-url ${endpoint} s3 ls s3://${bucket}/`,
  },
  {
    name: 'rclone',
    label: 'rclone',
    code: ({ endpoint, region, access_key, bucket }) => `rclone config create nephele s3 provider=Other \\
  endpoint=${endpoint} region=${region} \\
  access_key_id=${access_key} secret_access_key="${SECRET}"
rclone sync ./folder nephele:${bucket}/folder`,
  },
  {
    name: 's3cmd',
    label: 's3cmd',
    code: ({ endpoint, region, access_key, bucket }) => {
      const { host, protocol } = new URL(endpoint);
      return `s3cmd --access_key=${access_key} --secret_key="${SECRET}" \\
  --host=${host} --host-bucket=${host} --region=${region}${protocol === 'http:' ? ' --no-ssl' : ''} \\
  put file.txt s3://${bucket}/`;
    },
  },
  {
    name: 'boto3',
    label: 'boto3',
    code: ({ endpoint, region, access_key, bucket }) => `import boto3, os

s3 = boto3.client(
    "s3",
    endpoint_url="${endpoint}",
    region_name="${region}",
    aws_access_key_id="${access_key}",
    aws_secret_access_key=os.environ["S3_SECRET_KEY"],
)
s3.upload_file("file.txt", "${bucket}", "file.txt")`,
  },
  {
    name: 'javascript',
    label: 'JavaScript',
    code: ({
      endpoint,
      region,
      access_key,
      bucket,
    }) => `import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';

const s3 = new S3Client({
  endpoint: '${endpoint}',
  region: '${region}',
  forcePathStyle: true,
  credentials: { accessKeyId: '${access_key}', secretAccessKey: process.env.S3_SECRET_KEY },
});
await s3.send(new PutObjectCommand({ Bucket: '${bucket}', Key: 'file.txt', Body: 'hello' }));`,
  },
];
