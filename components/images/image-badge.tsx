import { StatusBadge } from '@/components/kit/data/status-badge';
import { Progress } from '@/components/kit/ui/progress';
import { formatPercent } from '@/lib/format/number';
import { fetchedShare, type Image, imageStatus } from './image-look';

/** The state of an image, and how far it is while it is fetched. */
export function ImageBadge({ image }: { image: Image }) {
  const share = fetchedShare(image);
  return (
    <span className="inline-flex items-center gap-2">
      <StatusBadge status={imageStatus(image)} reason={image.status_reason} />
      {share !== undefined && (
        <>
          <Progress label={`${image.name} fetched`} share={share} className="w-16 max-sm:hidden" />
          <span className="text-ink-muted text-xs tabular-nums">{formatPercent(share)}</span>
        </>
      )}
    </span>
  );
}
