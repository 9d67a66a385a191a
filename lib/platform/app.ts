import { serve } from '@/lib/core/api/kernel';
import { openApiDocument } from '@/lib/core/api/openapi';
import { challengeAnswer } from '@/lib/domains/certificates/acme/challenge';
import { authenticate } from '@/lib/people/identity/authenticate';
import { settings } from '@/lib/settings';
import { endpoints } from './endpoints';
import { healthz, metrics, readyz } from './health';
import { tags } from './tags';

/** The whole API, of tenants and back office, as one Hono app; mounted in the server and in Next's route handlers. */
export const app = serve(endpoints, authenticate);

let document: string | undefined;

app.get('/api/v1/openapi.json', () => {
  document ??= JSON.stringify(openApiDocument(endpoints, tags, settings().baseUrl));
  return new Response(document, { headers: { 'Content-Type': 'application/json; charset=utf-8' } });
});
app.get('/.well-known/acme-challenge/:token', async (context) => {
  const answer = await challengeAnswer(context.req.param('token'), context.req.header('host') ?? '');
  return new Response(answer ?? 'Not found.', {
    status: answer === undefined ? 404 : 200,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
  });
});
app.get('/healthz', healthz);
app.get('/readyz', readyz);
app.get('/metrics', (context) => metrics(context.req.raw, context.env?.incoming?.socket?.remoteAddress ?? ''));
