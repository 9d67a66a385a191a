import { getRequestListener } from '@hono/node-server';

const { Request: standardRequest, Response: standardResponse } = globalThis;

// Making a listener puts the adapter's classes in place of the global ones. They are put back at once: only the API
// makes responses of this kind, and Next keeps those that it knows.
getRequestListener(() => new standardResponse());

/**
 * A Response whose text goes to the socket as it is, where Node's own makes a stream of it first: an answer of the API
 * costs a third of the time. It is a Response to everybody else.
 */
export const LightResponse = globalThis.Response;

Object.defineProperty(globalThis, 'Request', { value: standardRequest });
Object.defineProperty(globalThis, 'Response', { value: standardResponse });
