import { app } from './app';

/**
 * The API for any host of Next, `next dev` included; our own server answers these paths itself, before Next.
 * The client's address is not to be had here, so that it comes only from a proxy that the operator trusts.
 */
const answer = (request: Request) => app.fetch(request);

export { answer as DELETE, answer as GET, answer as PATCH, answer as POST, answer as PUT };
