/** An event to try a function with. */
export interface TestEvent {
  name: string;
  payload: string;
}

export const FIRST_EVENT: TestEvent = { name: 'Default', payload: '{\n  "name": "Ada"\n}' };

/** As an HTTP request to a function's URL, or through a gateway route. */
export const HTTP_EVENT: TestEvent = {
  name: 'HTTP request',
  payload: JSON.stringify(
    {
      version: '2.0',
      rawPath: '/hello',
      rawQueryString: 'name=Ada',
      headers: { accept: 'application/json' },
      queryStringParameters: { name: 'Ada' },
      requestContext: { http: { method: 'GET', path: '/hello' } },
      isBase64Encoded: false,
    },
    null,
    2,
  ),
};

const keyOf = (functionId: string) => `nephele.test-events.${functionId}`;

function isEvent(value: unknown): value is TestEvent {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    'payload' in value &&
    typeof value.name === 'string' &&
    typeof value.payload === 'string'
  );
}

/** The test events of a function, which this browser keeps; never none. */
export function readTestEvents(functionId: string, storage: Pick<Storage, 'getItem'>): TestEvent[] {
  try {
    const stored: unknown = JSON.parse(storage.getItem(keyOf(functionId)) ?? '[]');
    const events = Array.isArray(stored) ? stored.filter(isEvent) : [];
    return events.length > 0 ? events : [FIRST_EVENT];
  } catch {
    return [FIRST_EVENT];
  }
}

/** A full or forbidden storage loses nothing but the events. */
export function keepTestEvents(
  functionId: string,
  events: readonly TestEvent[],
  storage: Pick<Storage, 'setItem'>,
): void {
  try {
    storage.setItem(keyOf(functionId), JSON.stringify(events));
  } catch {
    // They stay for as long as the page.
  }
}

/** A name for one more event. */
export function freshName(events: readonly TestEvent[]): string {
  const taken = new Set(events.map(({ name }) => name));
  for (let number = events.length + 1; ; number++) if (!taken.has(`Event ${number}`)) return `Event ${number}`;
}

/** What is wrong with a payload; undefined for JSON. */
export function payloadProblem(payload: string): string | undefined {
  try {
    JSON.parse(payload);
    return undefined;
  } catch {
    return 'The event must be JSON.';
  }
}
