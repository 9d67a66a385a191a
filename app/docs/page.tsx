import Link from 'next/link';
import type { ReactNode } from 'react';
import { CodeBlock } from '@/components/data/code-block';
import { Page } from '@/components/page/page';
import { InlineCode } from '@/components/reference/inline-code';
import { sections, shortName } from '@/components/reference/sections';
import { errorStatus } from '@/lib/api/errors';
import { groups } from '@/lib/client/reference';
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
      description="Everything that the portal does, a program can do: the portal itself uses nothing else."
    >
      <div className="grid gap-x-12 gap-y-10 xl:grid-cols-[minmax(0,44rem)_minmax(0,1fr)]">
        <div className="min-w-0 space-y-10">
          <Topic title="First request">
            <P>Sign in for an access token of an hour, then ask for anything with it.</P>
            <CodeBlock
              label="first request"
              code={`TOKEN=$(curl -s '${api}/auth/login' \\
  -H 'Content-Type: application/json' \\
  -d '{"email": "you@example.com", "password": "…"}' | jq -r .access_token)

curl '${api}/compute/instances' -H "Authorization: Bearer $TOKEN"`}
            />
            <P>
              A script is better off with an API token (`neph_…`) of its own role, which an admin can revoke: make one
              in the portal under API tokens, or with `POST /auth/tokens`.
            </P>
          </Topic>
          <Topic title="Projects">
            <P>
              Everything belongs to a project. Who belongs to several names one in the header `X-Project-Id`; without
              it, the one joined first is meant. API tokens and STS credentials are of one project. What another project
              has does not exist: the answer is 404, never 403.
            </P>
          </Topic>
          <Topic title="Names, times and numbers">
            <P>
              Bodies are JSON, names are `snake_case`, ids are UUIDs, times are ISO 8601 in UTC. Sizes carry their unit
              in the name (`size_gb`), money is in US dollars and ends in `_usd`. An unknown field in a body is refused
              and named, so that a typing error is not lost.
            </P>
          </Topic>
          <Topic title="Long work">
            <P>
              What takes time answers at once: 201 with the new resource, whose `status` still moves, or 202. Ask again,
              or listen to `GET /events`: a stream of hints of what has changed.
            </P>
          </Topic>
          <Topic title="Lists">
            <P>
              Lists are arrays, newest first, 50 at a time (`limit` up to 200). When there is more, the header `Link`
              carries the address of the next page with `rel="next"`. Filters are query parameters by the names of
              fields.
            </P>
          </Topic>
          <Topic title="Retrying safely">
            <P>
              Give a POST an `Idempotency-Key` of your own, and send it again with the same key when no answer came:
              what it did is done once, and the first success is answered again for 24 hours, with `Idempotent-Replayed:
              true`.
            </P>
          </Topic>
          <Topic title="Editing without losing">
            <P>
              Where an answer has an `ETag`, send it along as `If-Match` when you change what you read: if someone was
              faster, the answer is 412 and nothing is overwritten.
            </P>
          </Topic>
          <Topic title="Limits">
            <P>{`${rateLimitPerMinute.toLocaleString('en')} requests a minute for a token, with bursts of ${rateLimitBurst.toLocaleString('en')}; ${rateLimitAnonymousPerMinute.toLocaleString('en')} a minute for an address without one. All callers of a project together make at most ${rateLimitProjectWritesPerMinute.toLocaleString('en')} changes a minute. \`RateLimit-Remaining\` says what is left; 429 comes with \`Retry-After\` in seconds. A body of JSON may have 1 MiB; files are streamed.`}</P>
          </Topic>
          <Topic title="Errors">
            <P>
              A refusal says what to put right. Programs switch on the `code`; support asks for the request id, which is
              in the header `X-Request-Id` of every answer.
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
            <P>A quota that would be overrun is refused with 403 and `detail` alone, before anything is allocated.</P>
            <ul className="grid gap-x-6 gap-y-1 sm:grid-cols-2">
              {Object.entries(errorStatus).map(([code, status]) => (
                <li key={code} className="flex gap-3 font-mono text-xs">
                  <span className="text-ink-muted tabular-nums">{status}</span>
                  <span className="break-all">{code}</span>
                </li>
              ))}
            </ul>
          </Topic>
          <Topic title="For programs">
            <P>The same as a document: OpenAPI 3.1, made from the schemas that check every request and answer.</P>
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
