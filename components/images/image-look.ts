import type { Row } from '@/lib/client/list';

export type Image = Row<'/api/v1/images/images'>;

/** The state of an image as people call it: what the platform does with one on its way depends on where it comes from. */
export function imageStatus({
  status,
  visibility,
  size_bytes,
}: Pick<Image, 'status' | 'visibility' | 'size_bytes'>): string {
  if (visibility === 'public' && status === 'queued') return 'on_demand';
  if (status !== 'importing') return status;
  if (visibility === 'private') return 'verifying';
  // What is fetched knows how much there is to fetch; the platform's own image is built here.
  return size_bytes === null ? 'building' : 'fetching';
}

/** How much of an image that is being fetched has come, 0 to 1; undefined when nothing is fetched. */
export function fetchedShare({ status, visibility, size_bytes, received_bytes }: Image): number | undefined {
  if (status !== 'importing' || visibility !== 'public' || !size_bytes) return undefined;
  return Math.min(1, received_bytes / size_bytes);
}

/** What an image is made of, in a few words: "debian 12 · QCOW2". */
export function imageKind({
  os_distro,
  os_version,
  format,
}: Pick<Image, 'os_distro' | 'os_version' | 'format'>): string {
  const system = [os_distro && os_distro.charAt(0).toUpperCase() + os_distro.slice(1), os_version].filter(Boolean);
  return [system.join(' '), format].filter(Boolean).join(' · ');
}
