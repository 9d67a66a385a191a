import Link from 'next/link';
import type { ReactNode } from 'react';
import { CodeBlock } from '@/components/kit/data/code-block';
import { Page } from '@/components/kit/page/page';
import { InlineCode } from '@/components/reference/inline-code';
import { sections, shortName } from '@/components/reference/sections';
import { groups } from '@/lib/client/reference';
import { errorStatus } from '@/lib/core/api/errors';
import { paths } from '@/lib/paths';
import { settings } from '@/lib/settings';

/** What holds for every endpoint of the API, and the way to each of them. */
export default function Introduction() {
  const { baseUrl, rateLimitPerMinute, rateLimitBurst, rateLimitAnonymousPerMinute, rateLimitProjectWritesPerMinute } =
    settings();
  const api = `${baseUrl}/api/v1`;
  return (
    <Page
      title="API reference"
      description="Everything the portal can do is available through this API. The portal itself uses it."
    >
      <div className="grid gap-x-12 gap-y-10 xl:grid-cols-[minmax(0,44rem)_minmax(0,1fr)]">
        <div className="min-w-0 space-y-10">
          <Topic title="First request">
            <P>Sign in to get an access token, valid for one hour. Send it with each request.</P>
            <CodeBlock
              label="first request"
              code={`NEPHELE_TOKEN=$(curl -s '${api}/auth/login' \\
  -H 'Content-Type: application/json' \\
  -d '{"email": "you@example.com", "password": "…"}' | jq -r .access_token)

curl '${api}/compute/instances' -H "Authorization: Bearer $NEPHELE_TOKEN"`}
            />
            <P>
              For scripts, use an API token (`neph_…`), which has its own role and can be revoked. Create one in the
              portal under API tokens, or with `POST /auth/tokens`.
            </P>
          </Topic>
          <Topic title="Projects">
            <P>
              Every resource belongs to a project. Members of several projects choose one with the header
              `X-Project-Id`; the default is the project joined first. API tokens and STS credentials belong to one
              project. Resources of other projects are answered with 404, never 403.
            </P>
          </Topic>
          <Topic title="Names, times and numbers">
            <P>
              Bodies are JSON, names are `snake_case`, IDs are UUIDs, times are ISO 8601 in UTC. Size fields end in
              their unit (`size_gb`); amounts are in US dollars and end in `_usd`. Unknown fields in a body are refused
              with 400.
            </P>
          </Topic>
          <Topic title="Long-running operations">
            <P>
              Long-running requests are answered immediately: with 201 and the new resource, whose `status` then
              changes, or with 202. Poll the resource, or listen to `GET /events`, a stream of change notifications.
            </P>
          </Topic>
          <Topic title="Lists">
            <P>
              Lists are arrays, newest first, 50 entries per page (`limit` up to 200). If there are more, the header
              `Link` has the URL of the next page with `rel="next"`. Filters are query parameters named after fields.
            </P>
          </Topic>
          <Topic title="Retrying safely">
            <P>
              Send POST requests with a unique `Idempotency-Key`. If you get no response, repeat the request with the
              same key: it takes effect once, and for 24 hours the first successful response is returned again, with
              `Idempotent-Replayed: true`.
            </P>
          </Topic>
          <Topic title="Concurrent edits">
            <P>
              If a response has an `ETag`, send it as `If-Match` with your change. If the resource has changed since,
              the response is 412 and nothing is overwritten.
            </P>
          </Topic>
          <Topic title="Limits">
            <P>{`${rateLimitPerMinute.toLocaleString('en')} requests per minute and token, with bursts of ${rateLimitBurst.toLocaleString('en')}; ${rateLimitAnonymousPerMinute.toLocaleString('en')} per minute and IP address without one. Per project, up to ${rateLimitProjectWritesPerMinute.toLocaleString('en')} changes per minute. \`RateLimit-Remaining\` has the remaining requests; 429 responses have \`Retry-After\` in seconds. JSON bodies are limited to 1 MiB; files are streamed.`}</P>
          </Topic>
          <Topic title="Errors">
            <P>
              The `message` says what to correct. Programs use the `code`. For support, quote the request ID from the
              header `X-Request-Id` of every response.
            </P>
            <CodeBlock
              label="error"
              code={JSON.stringify(
                {
                  error: {
                    code: 'INVALID_REQUEST',
                    message: 'size_gb: At least 1.',
                    status: 400,
                    timestamp: '2026-11-21T09:30:00.000Z',
                  },
                },
                null,
                2,
              )}
            />
            <P>Exceeding a quota is refused with 403 and a body with only `detail`, before anything is allocated.</P>
            <ul className="grid gap-x-6 gap-y-1 sm:grid-cols-2">
              {Object.entries(errorStatus).map(([code, status]) => (
                <li key={code} className="flex gap-3 font-mono text-xs">
                  <span className="text-ink-muted tabular-nums">{status}</span>
                  <span className="break-all">{code}</span>
                </li>
              ))}
            </ul>
          </Topic>
          <Topic title="OpenAPI">
            <P>
              This reference as an OpenAPI 3.1 document, generated from the schemas that validate every request and
              response.
            </P>
            <p className="text-sm">
              <a href="/api/v1/openapi.json" className="text-accent hover:underline">
                {api}/openapi.json
              </a>
            </p>
          </Topic>
        </div>
        <nav aria-label="Groups" className="min-w-0 space-y-6 sm:max-xl:columns-2">
          {sections.map((section) => (
            <div key={section.label} className="break-inside-avoid">
              <h2 className="mb-2 font-medium text-ink-subtle text-xs">{section.label}</h2>
              <ul className="space-y-2.5">
                {Object.keys(section.groups)
                  .flatMap((name) => groups.filter((group) => group.name === name))
                  .map(({ slug, name, description, operations }) => (
                    <li key={slug} className="text-sm">
                      <Link href={paths.apiReference(slug)} className="font-medium text-accent hover:underline">
                        {shortName(name)}
                      </Link>{' '}
                      <span className="text-ink-subtle text-xs tabular-nums">{operations.length}</span>
                      <p className="text-pretty text-ink-muted text-xs">{description}</p>
                    </li>
                  ))}
              </ul>
            </div>
          ))}
        </nav>
      </div>
    </Page>
  );
}

function Topic({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="space-y-3">
      <h2 className="font-semibold text-lg tracking-[-0.01em]">{title}</h2>
      {children}
    </section>
  );
}

function P({ children }: { children: string }) {
  return (
    <p className="text-pretty text-ink-muted text-sm">
      <InlineCode text={children} />
    </p>
  );
}
