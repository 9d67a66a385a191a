import { createHash } from 'node:crypto';

/** The socket that the gateway sends requests for function addresses to. */
export const URL_SOCKET = 'fn.sock';

/** The socket of one function, for routes that lead to it; short, as paths of sockets must be. */
export const functionSocket = (id: string) => `f${createHash('sha256').update(id).digest('hex').slice(0, 8)}`;
