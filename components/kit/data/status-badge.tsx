import { Badge } from '@/components/kit/ui/badge';
import { Tooltip } from '@/components/kit/ui/tooltip';
import { statusLook } from './statuses';

/** The state of a thing: colour, icon and word together, so that none of them has to be seen. */
export function StatusBadge({ status, reason }: { status: string; reason?: string | null | undefined }) {
  const { label, tone, icon: Icon, moving } = statusLook(status);
  return (
    <Tooltip text={reason ?? undefined}>
      <Badge tone={tone} tabIndex={reason ? 0 : undefined}>
        <Icon aria-hidden="true" className={moving ? 'animate-spin [animation-duration:2s]' : undefined} />
        {label}
        {reason && <span className="sr-only">: {reason}</span>}
      </Badge>
    </Tooltip>
  );
}
