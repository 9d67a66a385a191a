import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { rootCertificates } from 'node:tls';
import acme from 'acme-client';
import { log } from '@/lib/log';
import { settings } from '@/lib/settings';

const ERROR_TYPE = 'urn:ietf:params:acme:error:';
/** Authorities answer within seconds; a hanging one is asked again by the operation. */
const PATIENCE_MS = 30_000;
/** Certificate chains and orders are a few KiB. */
const MOST_BYTES = 1024 * 1024;

/** A refusal by the certificate authority (RFC 8555, 6.7). Its text is for tenants. */
export class AcmeProblem extends Error {
  override name = 'AcmeProblem';

  constructor(
    /** The last part of its type: `rateLimited`. */
    readonly type: string,
    detail: string,
    /** Seconds after which the authority takes another order. */
    readonly retry_after_s: number | undefined,
  ) {
    super(detail);
  }
}

// acme-client has one HTTP client for all. Its own handler waits and tries again, which the operation does instead.
acme.axios.interceptors.response.clear();
acme.axios.interceptors.response.use(null, (error: unknown) => {
  if (!hasResponse(error)) throw error;
  const { response } = error;
  const problem = readProblem(response.data);
  // The library answers a bad nonce itself.
  if (response.status < 400 || problem === undefined || problem.type === 'badNonce') return response;
  const seconds = Number(response.headers['retry-after']);
  throw new AcmeProblem(problem.type, problem.detail, seconds > 0 ? seconds : undefined);
});
Object.assign(acme.axios.defaults, { timeout: PATIENCE_MS, maxContentLength: MOST_BYTES });

type Answered = { response: { status: number; data: unknown; headers: Readonly<Record<string, unknown>> } };

/** Whether the authority answered; otherwise the connection failed. */
const hasResponse = (error: unknown): error is Answered =>
  error instanceof Error && 'response' in error && typeof error.response === 'object' && error.response !== null;

function readProblem(data: unknown): { type: string; detail: string } | undefined {
  if (typeof data !== 'object' || data === null || !('type' in data) || typeof data.type !== 'string') return undefined;
  if (!data.type.startsWith(ERROR_TYPE)) return undefined;
  const detail = 'detail' in data && typeof data.detail === 'string' ? data.detail : 'no reason given';
  return { type: data.type.slice(ERROR_TYPE.length), detail };
}

let trusted: string | undefined;

/** Trusts the operator's authority beside the public ones. */
function trustOperatorsAuthority(caFile: string): void {
  if (trusted === caFile) return;
  acme.axios.defaults.httpsAgent = new Agent({ ca: [...rootCertificates, readFileSync(caFile, 'utf8')] });
  trusted = caFile;
}

/** A client for the operator's certificate authority. */
export function acmeClient(accountKey: string, accountUrl?: string): acme.Client {
  const { directoryUrl, binding, caFile } = settings().acme;
  if (caFile) trustOperatorsAuthority(caFile);
  return new acme.Client({
    directoryUrl,
    accountKey,
    ...(accountUrl && { accountUrl }),
    ...(binding && { externalAccountBinding: binding }),
  });
}

/**
 * Runs a call of the certificate authority.
 * @throws AcmeProblem for a refusal, Error with a text for tenants if it does not answer
 */
export async function asking<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof AcmeProblem) throw error;
    const reason = error instanceof Error ? error.message : 'unknown';
    log.warn({ reason, directory: settings().acme.directoryUrl }, 'the certificate authority did not answer');
    throw new Error('The certificate authority could not be reached, or did not answer as expected.');
  }
}
