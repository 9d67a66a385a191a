import { Badge, type Tone } from '@/components/kit/ui/badge';

const tones: Readonly<Record<string, Tone>> = {
  GET: 'neutral',
  POST: 'positive',
  PUT: 'caution',
  PATCH: 'caution',
  DELETE: 'critical',
};

/** What a request does, by its method (RFC 9110 section 9). */
export function Method({ name }: { name: string }) {
  return (
    <Badge tone={tones[name] ?? 'neutral'} className="w-14 shrink-0 justify-center font-mono">
      {name}
    </Badge>
  );
}
