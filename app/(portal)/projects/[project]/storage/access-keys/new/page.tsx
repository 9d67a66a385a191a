import { NewAccessKey } from '@/components/objects/new-access-key';
import { settings } from '@/lib/settings';

/** Creates an access key for S3 clients. */
export default function NewAccessKeyPage() {
  const { url, region } = settings().s3;
  return <NewAccessKey endpoint={url} region={region} />;
}
