import { app } from './app';

/**
 * The API as Next route handlers, for `next dev`; our own server answers these paths before Next. The socket's address
 * is unavailable here, so the client's address comes only from a trusted proxy.
 */
const answer = (request: Request) => app.fetch(request);

export { answer as DELETE, answer as GET, answer as PATCH, answer as POST, answer as PUT };
