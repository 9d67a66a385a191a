import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { now } from '@/lib/clock';
import { checkedFetch, OutgoingError } from '@/lib/core/net/checked-fetch';

/** The source of an issuer's public keys: a fixed address, or OpenID Connect discovery. */
export type KeySource = { issuer: string; jwks_uri: string | null };

/** Keys are refetched after this time, so that a withdrawn one is no longer accepted. */
const FRESH_MS = 10 * 60 * 1000;
/** An unknown key id may be a new key; refetch at most this often. */
const UNKNOWN_KEY_MS = 30 * 1000;
/** Pause after a failed fetch, so that nobody can make us hammer an issuer. */
const AFTER_FAILURE_MS = 5 * 1000;
const MOST_SOURCES = 500;

type Held = { select: ReturnType<typeof createLocalJWKSet>; fetched_at: number };
type Entry = { held?: Held; failure?: { error: unknown; at: number }; pending?: Promise<Held> };

const entries = new Map<string, Entry>();

/** Finds a token's key among its issuer's, for `jwtVerify`. Keys are cached and refetched when they rotate. */
export function issuerKeys(source: KeySource): JWTVerifyGetKey {
  return async (header, token) => {
    const entry = entryOf(source);
    const age = entry.held ? now().getTime() - entry.held.fetched_at : Number.POSITIVE_INFINITY;
    const held = entry.held && age < FRESH_MS ? entry.held : await refresh(entry, source);
    try {
      return await held.select(header, token);
    } catch (error) {
      const isUnknown = error instanceof errors.JWKSNoMatchingKey;
      if (!isUnknown || now().getTime() - held.fetched_at < UNKNOWN_KEY_MS) throw error;
      return (await refresh(entry, source)).select(header, token);
    }
  };
}

/** Drops the least recently used sources, so that tenants cannot fill the memory. */
function entryOf({ issuer, jwks_uri }: KeySource): Entry {
  const key = jwks_uri === null ? `discover ${issuer}` : `at ${jwks_uri}`;
  const entry = entries.get(key) ?? {};
  entries.delete(key);
  entries.set(key, entry);
  const [oldest] = entries.keys();
  if (entries.size > MOST_SOURCES && oldest !== undefined) entries.delete(oldest);
  return entry;
}

/** Fetches once for all concurrent callers. */
function refresh(entry: Entry, source: KeySource): Promise<Held> {
  const { failure } = entry;
  if (failure && now().getTime() - failure.at < AFTER_FAILURE_MS) return Promise.reject(failure.error);
  entry.pending ??= fetchKeys(source)
    .then((select) => {
      const held = { select, fetched_at: now().getTime() };
      entry.held = held;
      delete entry.failure;
      return held;
    })
    .catch((error: unknown) => {
      entry.failure = { error, at: now().getTime() };
      throw error;
    })
    .finally(() => {
      delete entry.pending;
    });
  return entry.pending;
}

/** OpenID Connect Discovery 1.0, sections 3 and 4. */
const configuration = z.object({ issuer: z.string(), jwks_uri: z.string() });
const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

async function fetchKeys({ issuer, jwks_uri }: KeySource): Promise<Held['select']> {
  return createLocalJWKSet(await fetchJson(jwks_uri ?? (await discover(issuer)), keySet));
}

async function discover(issuer: string): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const found = await fetchJson(url, configuration);
  if (found.issuer !== issuer) throw new OutgoingError(`${url} belongs to a different issuer.`);
  return found.jwks_uri;
}

async function fetchJson<Shape extends z.ZodType>(url: string, shape: Shape): Promise<z.output<Shape>> {
  const { status, body } = await checkedFetch(url, { headers: { Accept: 'application/json' } });
  if (status !== 200) throw new OutgoingError(`${url} responded with status ${status}.`);
  const parsed = shape.safeParse(readJson(body));
  if (!parsed.success) throw new OutgoingError(`${url} did not return the expected document.`);
  return parsed.data;
}

function readJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
