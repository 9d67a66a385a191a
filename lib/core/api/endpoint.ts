import type { z } from 'zod';
import type { Dimension } from '@/lib/core/quota/dimensions';
import type { Use } from '@/lib/money/metering/use';
import type { Caller, Membership } from './caller';
import type { ErrorCode } from './errors';
import type { Sendable } from './json';
import type { Page } from './pagination';
import type { Access } from './policy';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The cost class of a call. Every class except `read` has its own rate limit per project. */
export type RateClass = 'read' | 'write' | 'heavy';

/** The current request as services see it: caller, project and time. The raw request is the only HTTP in it. */
export type Call = {
  request_id: string;
  /** The time of the request; resources that it creates get this time. */
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

/** A call by a project member. All tenant services take one, so that none can forget the project. */
export type ProjectCall = Call & {
  caller: Exclude<Caller, { kind: 'administrator' }>;
  project_id: string;
  role: Membership['role'];
};
/** A call by a signed-in person about their own account. */
export type PersonCall = Call & { caller: Extract<Caller, { kind: 'user' }> };
/** A call by a signed-in person in their project. */
export type ProjectPersonCall = PersonCall & Pick<ProjectCall, 'project_id' | 'role'>;
/** A call with any tenant credential. */
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

/** The quota that a call would claim, and the recurring cost of the result. */
export type Estimate = {
  claims: readonly { dimension: Dimension; amount: number }[];
  uses: readonly Use[];
};

/** Audit and idempotency state of a call. The kernel records what no statement of the service has recorded. */
type CallRecord = {
  /** Set once a statement has written the audit entry. */
  audited: boolean;
  /** Present when the request has an Idempotency-Key; `recorded` is set once a statement has stored the answer. */
  idempotency?: { id: Buffer; request_hash: Buffer; recorded: boolean };
  /** The resource for the audit entry when no statement writes the entry. */
  resource?: { type: string; id: string; name?: string };
  details?: Record<string, unknown>;
};

/** An answer with headers, or with one of several declared statuses. */
export class Reply<Body> {
  constructor(
    readonly body: Body,
    readonly options: { status?: number; headers?: Record<string, string> } = {},
  ) {}
}

/** A size-limited request body that the handler streams. */
export type Upload = { stream: ReadableStream<Uint8Array>; content_type: string; content_length: number | null };

/** Which bodies an endpoint streams. `or_json`: any other content type is parsed as JSON with the schema of the body. */
export type UploadRules = { content_types: string[]; max_bytes: number; or_json?: boolean };

type Shape = z.ZodObject | undefined;
type Parsed<S extends Shape> = S extends z.ZodObject ? z.output<S> : undefined;

/**
 * The schema of each success status; `null` for no body, `stream` for a body that the handler streams, `json` and `alternative`
 * for JSON or, if the request's `Accept` prefers it, a streamed body of the other type.
 */
export type Responses = {
  [status: number]: z.ZodType | null | { stream: string } | { json: z.ZodType; alternative: string };
};

type JsonOf<S extends z.ZodType> =
  | Sendable<z.output<S>>
  | (z.output<S> extends (infer Item)[] ? Page<Sendable<Item>> : never);

type BodyOf<R extends Responses> = R[keyof R] extends infer S
  ? S extends z.ZodType
    ? JsonOf<S>
    : S extends null
      ? // biome-ignore lint/suspicious/noConfusingVoidType: an answer without a body is what a service returns that gives nothing
        void
      : S extends { json: infer J extends z.ZodType }
        ? JsonOf<J> | Response
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
  /** Relative to the realm's base path, with parameters in braces: `/vault/secrets/{id}/payload`. */
  path: `/${string}`;
  /** `tenant`: `{base_url}/api/v1`. `backoffice`: `{backoffice_url}/api/v1`. */
  realm?: 'tenant' | 'backoffice';
  /** Unique across the API, in camel case: `createSecret`. */
  operation_id: string;
  summary: string;
  description?: string;
  /** The group in the API reference: `Secrets`. */
  tag: string;
  access: A;
  params?: P;
  query?: Q;
  body?: B;
  /** Streams the request body to the handler instead of parsing JSON. */
  upload?: UploadRules;
  /** The limit of a JSON body; 1 MiB if absent. */
  body_bytes?: number;
  /** A POST that only reads: the parameters of `query` come as a form, in the address, or both. Not audited. */
  form?: boolean;
  /** A POST that only reads, as each `form` does. Not audited. */
  reads?: boolean;
  responses: R;
  /** Error codes in addition to those that every endpoint of its kind has. */
  errors?: ErrorCode[];
  /** Quota dimensions that the call claims. A breach is refused with the record of spec 2.3. */
  claims?: Dimension[];
  /**
   * Use `heavy` for expensive work: exports, documents, uploads. The default depends on the method. A request that prefers
   * the alternative form of a list, a file of all of it, is heavy, too.
   */
  rate?: RateClass;
  /** Refused with 402 while the budget is frozen (spec 3.1). */
  freezable?: boolean;
  /**
   * Estimates the call for `POST /billing/quote`: writes nothing, and refuses the same input as the call. Omit it if
   * the call claims no quota and costs nothing.
   */
  estimate?: (
    call: ProjectCall,
    input: { params: Parsed<P>; body: B extends z.ZodType ? z.output<B> : undefined },
  ) => Promise<Estimate> | Estimate;
  /** The action of the audit entry: `secret.create`. Required for changes, optional for reads. */
  audit?: string;
  /** The answer contains a secret, so a stored copy is encrypted. */
  secret_answer?: boolean;
  /** Refuses a request that contains a card number before anything else reads it (PCI DSS: we must not hold it). */
  no_card_numbers?: boolean;
  /** The answer has an `ETag`, and a change with a stale `If-Match` is refused with 412. */
  versioned?: boolean;
  /** Allowed before an initial password is changed. */
  with_initial_password?: boolean;
  /**
   * How the answer of a POST with an Idempotency-Key is stored: by the service's statement, by the kernel, or not at
   * all.
   */
  idempotency?: 'statement' | 'kernel' | 'none';
  /**
   * Carries out the call. Returns the body, or a `Reply` to choose the status or set headers; throws ApiError to
   * refuse.
   */
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

/** An endpoint as the kernel sees it, with its types erased. */
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
  readonly upload: UploadRules | undefined;
  readonly body_bytes: number | undefined;
  readonly form: boolean;
  /** Nothing changes: every GET, and a POST that says so. */
  readonly reads: boolean;
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
  readonly with_initial_password: boolean;
  readonly idempotency: 'statement' | 'kernel' | 'none';
  readonly handle: (
    call: Call,
    input: { params: unknown; query: unknown; body: unknown; headers: Headers; upload: Upload | undefined },
  ) => unknown;
};

/**
 * Declares an endpoint. Its route, validation, authorization, `POST /iam/simulate`, OpenAPI, the typed client, the
 * audit entry, idempotency and the generated tests all derive from this value.
 */
export function endpoint<
  A extends Access,
  R extends Responses,
  P extends Shape = undefined,
  Q extends Shape = undefined,
  B extends z.ZodType | undefined = undefined,
>(definition: EndpointDefinition<A, P, Q, B, R>): AnyEndpoint {
  const reads = definition.reads ?? (definition.method === 'GET' || definition.form === true);
  return {
    ...definition,
    realm: definition.realm ?? 'tenant',
    description: definition.description,
    params: definition.params?.strict(),
    query: definition.query?.strict(),
    body: definition.body,
    upload: definition.upload,
    body_bytes: definition.body_bytes,
    errors: definition.errors ?? [],
    claims: definition.claims ?? [],
    form: definition.form ?? false,
    reads,
    rate: definition.rate ?? (definition.method === 'GET' || definition.form ? 'read' : 'write'),
    freezable: definition.freezable ?? false,
    // As with `handle`: the input was parsed by this definition's schemas.
    estimate: definition.estimate as unknown as AnyEndpoint['estimate'],
    audit: definition.audit,
    secret_answer: definition.secret_answer ?? false,
    no_card_numbers: definition.no_card_numbers ?? false,
    versioned: definition.versioned ?? false,
    with_initial_password: definition.with_initial_password ?? false,
    idempotency: definition.method === 'POST' && !reads ? (definition.idempotency ?? 'statement') : 'none',
    // The kernel parses the input with this definition's schemas and checks access before it calls the handler.
    handle: definition.handle as unknown as AnyEndpoint['handle'],
  };
}

/** The path that clients use: the realm's base path plus the endpoint's path. */
export function fullPath({ realm, path }: Pick<AnyEndpoint, 'realm' | 'path'>): string {
  return `${realm === 'tenant' ? '/api/v1' : '/admin/api/v1'}${path}`;
}
