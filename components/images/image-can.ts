import { formatCount } from '@/lib/format/quantity';
import type { Image } from './image-look';

type Facts = Pick<Image, 'status' | 'visibility' | 'instance_count' | 'volume_count'>;

/** Why nothing can be made from an image now; undefined when it can. One that is on its way does: what is made waits. */
export function whyNotUse({ status }: Facts): string | undefined {
  if (status === 'error') return 'The image is unusable. See its status.';
  return status === 'deleting' ? 'This image is being deleted.' : undefined;
}

/** Why an image can't be deleted now; undefined when it can. */
export function whyNotDelete(image: Facts): string | undefined {
  if (image.visibility === 'public') return 'Certified images cannot be deleted.';
  if (image.status === 'deleting') return 'This image is being deleted.';
  const users = [
    ...(image.instance_count > 0 ? [formatCount(image.instance_count, 'instance')] : []),
    ...(image.volume_count > 0 ? [formatCount(image.volume_count, 'volume')] : []),
  ];
  return users.length > 0 ? `In use. Delete ${users.join(' and ')} first.` : undefined;
}
