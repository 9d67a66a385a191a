import { asCurl } from '@/lib/client/commands';

/** An operation with the example of its body, from `lib/client/operations`. */
export interface Example {
  id: string;
  /** Its page in the API reference. */
  group: string;
  method: string;
  path: string;
  example: object;
}

/** A request with its example for a shell. Ids differ in every project, so the reader fills them in. */
export function exampleCommand({ method, path, example }: Omit<Example, 'id' | 'group'>): string {
  const origin = typeof window === 'undefined' ? '' : window.location.origin;
  const body = JSON.stringify(example, (_, value) => (isId(value) ? '…' : value), 1).replace(/\n\s*/g, ' ');
  return asCurl({ method, url: origin + path, headers: { 'Content-Type': 'application/json' }, body });
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{8}-[0-9a-f]{4}-/.test(value);
}
