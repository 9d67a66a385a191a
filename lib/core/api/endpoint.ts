import type { z } from 'zod';
import type { Dimension } from '@/lib/core/quota/dimensions';
import type { Use } from '@/lib/money/metering/use';
import type { Caller, Membership } from './caller';
import type { ErrorCode } from './errors';
import type { Sendable } from './json';
import type { Page } from './pagination';
import type { Access } from './policy';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a call costs the platform: each class but `read` has a rate of its own in every project. */
export type RateClass = 'read' | 'write' | 'heavy';

/** The request at hand, as services see it: who calls, in which project, when. No HTTP in it but the raw request. */
export type Call = {
  request_id: string;
  /** The moment of the request; what it creates carries it. */
  at: Date;
  /** The caller's network address. */
  address: string;
  user_agent: string;
  caller: Caller | undefined;
  endpoint: AnyEndpoint;
  /** Aborts when the caller goes away. */
  signal: AbortSignal;
  record: CallRecord;
};

/** A call by a member of a project; every tenant's service takes one, so that none can forget the project. */
export type ProjectCall = Call & {
  caller: Exclude<Caller, { kind: 'administrator' }>;
  project_id: string;
  role: Membership['role'];
};
/** A call by a signed-in person on their own account. */
export type PersonCall = Call & { caller: Extract<Caller, { kind: 'user' }> };
/** A call by a signed-in person in their project. */
export type ProjectPersonCall = PersonCall & Pick<ProjectCall, 'project_id' | 'role'>;
/** A call with any tenant's credential. */
export type TenantCall = Call & { caller: Exclude<Caller, { kind: 'administrator' }> };
/** A call in the back office. */
export type AdministratorCall = Call & { caller: Extract<Caller, { kind: 'administrator' }> };

type CallOf<A extends Access> = A extends 'public'
  ? Call
  : A extends 'person'
    ? PersonCall
    : A extends 'project_person'
      ? ProjectPersonCall
      : A extends 'any'
        ? TenantCall
        : A extends 'administrator' | 'administrator_account'
          ? AdministratorCall
          : ProjectCall;

/** What a call will take: of the quota, and of what is billed from then on. */
export type Estimate = {
  claims: readonly { dimension: Dimension; amount: number }[];
  uses: readonly Use[];
};

/** What a write leaves behind besides its rows; the kernel writes what no statement has written. */
type CallRecord = {
  /** Set once a statement has written the audit entry. */
  audited: boolean;
  /** Present when the request carries an Idempotency-Key; `recorded` once a statement has kept the answer. */
  idempotency?: { id: Buffer; request_hash: Buffer; recorded: boolean };
  /** For the audit entry when no statement writes it. */
  resource?: { type: string; id: string; name?: string };
  details?: Record<string, unknown>;
};

/** An answer that needs more than a body: headers, or one of several declared statuses. */
export class Reply<Body> {
  constructor(
    readonly body: Body,
    readonly options: { status?: number; headers?: Record<string, string> } = {},
  ) {}
}

/** An upload that a handler streams itself: bytes as they come, bounded. */
export type Upload = { stream: ReadableStream<Uint8Array>; content_type: string; content_length: number | null };

type Shape = z.ZodObject | undefined;
type Parsed<S extends Shape> = S extends z.ZodObject ? z.output<S> : undefined;

/** The schema of each success status; `null` for no body, `'stream'` for a body that the handler writes itself. */
export type Responses = { [status: number]: z.ZodType | null | { stream: string } };

type BodyOf<R extends Responses> = R[keyof R] extends infer S
  ? S extends z.ZodType
    ? Sendable<z.output<S>> | (z.output<S> extends (infer Item)[] ? Page<Sendable<Item>> : never)
    : S extends null
      ? // biome-ignore lint/suspicious/noConfusingVoidType: an answer without a body is what a service returns that gives nothing
        void
      : Response
  : never;

export type EndpointDefinition<
  A extends Access,
  P extends Shape,
  Q extends Shape,
  B extends z.ZodType | undefined,
  R extends Responses,
> = {
  method: Method;
  /** Below the realm's base path, parameters in braces: `/vault/secrets/{id}/payload`. */
  path: `/${string}`;
  /** `tenant`: `{base_url}/api/v1`. `backoffice`: `{backoffice_url}/api/v1`. */
  realm?: 'tenant' | 'backoffice';
  /** A name of its own across the API, in camel case: `createSecret`. */
  operation_id: string;
  summary: string;
  description?: string;
  /** Groups the reference: `Secrets`. */
  tag: string;
  access: A;
  params?: P;
  query?: Q;
  body?: B;
  /** Bytes that stream to the handler, in place of a JSON body. */
  upload?: { content_types: string[]; max_bytes: number };
  /** A POST that only reads: the parameters of `query` come as a form, in the address, or both. Not audited. */
  form?: boolean;
  responses: R;
  /** Codes it may answer with beyond those that every endpoint of its kind has. */
  errors?: ErrorCode[];
  /** Quota dimensions that a call claims; a breach is refused with the record of spec 2.3. */
  claims?: Dimension[];
  /** `heavy` for what costs much more than a row: exports, documents, uploads. By default the method says it. */
  rate?: RateClass;
  /** A frozen budget refuses it (spec 3.1): 402. */
  freezable?: boolean;
  /**
   * What a call with this input will take, for `POST /billing/quote`; it writes nothing, and refuses what the call would.
   * Absent: it takes no quota and costs nothing.
   */
  estimate?: (
    call: ProjectCall,
    input: { params: Parsed<P>; body: B extends z.ZodType ? z.output<B> : undefined },
  ) => Promise<Estimate> | Estimate;
  /** The audit entry's action, `secret.create`; reads that need none leave it out, changes must not. */
  audit?: string;
  /** The answer holds a secret: stored encrypted where it is stored at all. */
  secret_answer?: boolean;
  /** A request that shows a card number is refused before anything else reads it (PCI DSS: it is not ours to hold). */
  no_card_numbers?: boolean;
  /** The answer carries an `ETag`; a change takes `If-Match`, and answers 412 when that is stale. */
  versioned?: boolean;
  /** How a POST with an Idempotency-Key is kept: by the service's own statement, by the kernel, or not at all. */
  idempotency?: 'statement' | 'kernel' | 'none';
  /** What open pages refetch when a call succeeded: the topic its domain's lists listen to. */
  handle: (
    call: CallOf<A>,
    input: {
      params: Parsed<P>;
      query: Parsed<Q>;
      body: B extends z.ZodType ? z.output<B> : undefined;
      headers: Headers;
      upload: Upload | undefined;
    },
  ) => Promise<BodyOf<R> | Reply<BodyOf<R>>> | BodyOf<R> | Reply<BodyOf<R>>;
};

/** What the kernel keeps of an endpoint, its types erased. */
export type AnyEndpoint = {
  readonly method: Method;
  readonly path: string;
  readonly realm: 'tenant' | 'backoffice';
  readonly operation_id: string;
  readonly summary: string;
  readonly description: string | undefined;
  readonly tag: string;
  readonly access: Access;
  readonly params: z.ZodObject | undefined;
  readonly query: z.ZodObject | undefined;
  readonly body: z.ZodType | undefined;
  readonly upload: { content_types: string[]; max_bytes: number } | undefined;
  readonly form: boolean;
  readonly responses: Responses;
  readonly errors: readonly ErrorCode[];
  readonly claims: readonly Dimension[];
  readonly rate: RateClass;
  readonly freezable: boolean;
  readonly estimate:
    | ((call: ProjectCall, input: { params: unknown; body: unknown }) => Promise<Estimate> | Estimate)
    | undefined;
  readonly audit: string | undefined;
  readonly secret_answer: boolean;
  readonly no_card_numbers: boolean;
  readonly versioned: boolean;
  readonly idempotency: 'statement' | 'kernel' | 'none';
  readonly handle: (
    call: Call,
    input: { params: unknown; query: unknown; body: unknown; headers: Headers; upload: Upload | undefined },
  ) => unknown;
};

/**
 * One endpoint, one value: from it come route, validation, authorization, `POST /iam/simulate`, OpenAPI, the typed
 * client, the audit entry, idempotency and the generated tests.
 */
export function endpoint<
  A extends Access,
  R extends Responses,
  P extends Shape = undefined,
  Q extends Shape = undefined,
  B extends z.ZodType | undefined = undefined,
>(definition: EndpointDefinition<A, P, Q, B, R>): AnyEndpoint {
  return {
    ...definition,
    realm: definition.realm ?? 'tenant',
    description: definition.description,
    params: definition.params?.strict(),
    query: definition.query?.strict(),
    body: definition.body,
    upload: definition.upload,
    errors: definition.errors ?? [],
    claims: definition.claims ?? [],
    form: definition.form ?? false,
    rate: definition.rate ?? (definition.method === 'GET' || definition.form ? 'read' : 'write'),
    freezable: definition.freezable ?? false,
    // As with `handle`: what the schemas of this definition have parsed.
    estimate: definition.estimate as unknown as AnyEndpoint['estimate'],
    audit: definition.audit,
    secret_answer: definition.secret_answer ?? false,
    no_card_numbers: definition.no_card_numbers ?? false,
    versioned: definition.versioned ?? false,
    idempotency: definition.method === 'POST' && !definition.form ? (definition.idempotency ?? 'statement') : 'none',
    // The kernel parses with this very definition's schemas and checks its access before it calls.
    handle: definition.handle as unknown as AnyEndpoint['handle'],
  };
}

/** The path a client writes: base path of the realm and the endpoint's own. */
export function fullPath({ realm, path }: Pick<AnyEndpoint, 'realm' | 'path'>): string {
  return `${realm === 'tenant' ? '/api/v1' : '/admin/api/v1'}${path}`;
}
