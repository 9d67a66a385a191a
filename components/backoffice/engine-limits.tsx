import * as z from 'zod/mini';
import { PropertyList } from '@/components/kit/data/property-list';
import { StatusBadge } from '@/components/kit/data/status-badge';

const limit = z.object({ limit: z.string(), level: z.string(), how: z.string() });
const schema = z.object({ limits: z.array(limit) });
type Limit = z.infer<typeof limit>;

/** How this host limits the processes of an engine. */
export function EngineLimits({ details }: { details: unknown }) {
  const { data } = schema.safeParse(details);
  if (!data || data.limits.length === 0) return null;
  return (
    <details>
      <summary className="w-fit cursor-pointer rounded-sm text-accent text-xs hover:underline">
        Limits: {summaryOf(data.limits)}
      </summary>
      <div className="mt-3">
        <PropertyList items={data.limits.map((entry) => [nameOf(entry), <Level key={entry.limit} {...entry} />])} />
      </div>
    </details>
  );
}

function Level({ level, how }: Limit) {
  return (
    <>
      <StatusBadge status={level} />
      <span className="min-w-0 break-words text-ink-muted">{how}</span>
    </>
  );
}

const names = new Map([
  ['user_id', 'User ID'],
  ['cpu', 'CPU'],
]);

function nameOf({ limit }: Limit): string {
  const words = limit.replaceAll('_', ' ');
  return names.get(limit) ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** `8 enforced, 2 weaker` */
const summaryOf = (limits: readonly Limit[]) =>
  [...new Set(limits.map(({ level }) => level))]
    .map((level) => `${limits.filter((each) => each.level === level).length} ${level}`)
    .join(', ');
