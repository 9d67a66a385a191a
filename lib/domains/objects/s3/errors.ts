import { escapeXml } from './xml';

/** The codes of S3 that the endpoint answers, with their status and usual message. */
const codes = {
  AccessDenied: [403, 'Access Denied.'],
  AccessControlListNotSupported: [400, 'The bucket does not allow ACLs.'],
  AuthorizationHeaderMalformed: [400, 'The authorization header that you provided is not valid.'],
  AuthorizationQueryParametersError: [400, 'The authorization parameters of the query are not valid.'],
  BadDigest: [400, 'The Content-MD5 or checksum value that you specified did not match what we received.'],
  BucketAlreadyExists: [409, 'The requested bucket name is not available. Bucket names are unique in the platform.'],
  BucketAlreadyOwnedByYou: [409, 'You already own this bucket.'],
  BucketNotEmpty: [409, 'The bucket that you tried to delete is not empty.'],
  EntityTooLarge: [400, 'Your proposed upload exceeds the maximum allowed object size.'],
  EntityTooSmall: [400, 'Your proposed upload is smaller than the minimum allowed size.'],
  ExpiredToken: [400, 'The provided token has expired.'],
  IllegalLocationConstraintException: [400, 'The location constraint does not fit the region of this endpoint.'],
  IncompleteBody: [400, 'You did not provide the number of bytes specified by the Content-Length header.'],
  InternalError: [500, 'An internal error occurred. Try again.'],
  InvalidAccessKeyId: [403, 'The access key that you provided does not exist.'],
  InvalidArgument: [400, 'Invalid argument.'],
  InvalidBucketName: [400, 'The specified bucket is not valid.'],
  InvalidBucketState: [409, 'The request is not valid for the current state of the bucket.'],
  InvalidDigest: [400, 'The Content-MD5 or checksum value that you specified is not valid.'],
  InvalidLocationConstraint: [400, 'The specified location constraint is not valid.'],
  InvalidPart: [400, 'One or more of the specified parts could not be found, or its ETag does not match.'],
  InvalidPartOrder: [400, 'The list of parts was not in ascending order.'],
  InvalidPolicyDocument: [400, 'The policy of the form is not valid.'],
  InvalidRange: [416, 'The requested range is not satisfiable.'],
  InvalidRequest: [400, 'The request is not valid.'],
  InvalidRetentionPeriod: [400, 'The retention period must be a whole number of days or years above zero.'],
  InvalidTag: [400, 'The tag provided was not a valid tag.'],
  InvalidURI: [400, 'Could not parse the specified URI.'],
  InsufficientStorage: [507, 'The host has no room for these bytes.'],
  KeyTooLongError: [400, 'Your key is too long.'],
  MalformedACLError: [400, 'The XML that you provided was not well formed or did not validate against our schema.'],
  MalformedPOSTRequest: [400, 'The body of your POST request is not well-formed multipart/form-data.'],
  MalformedPolicy: [400, 'The policy is not valid.'],
  MalformedXML: [400, 'The XML that you provided was not well formed or did not validate against our schema.'],
  MaxMessageLengthExceeded: [400, 'Your request was too big.'],
  MetadataTooLarge: [400, 'Your metadata headers exceed the maximum allowed metadata size.'],
  MethodNotAllowed: [405, 'The specified method is not allowed against this resource.'],
  MissingContentLength: [411, 'You must provide the Content-Length HTTP header.'],
  MissingSecurityHeader: [400, 'Your request is missing a required header.'],
  NoSuchBucket: [404, 'The specified bucket does not exist.'],
  NoSuchBucketPolicy: [404, 'The bucket policy does not exist.'],
  NoSuchCORSConfiguration: [404, 'The CORS configuration does not exist.'],
  NoSuchKey: [404, 'The specified key does not exist.'],
  NoSuchLifecycleConfiguration: [404, 'The lifecycle configuration does not exist.'],
  NoSuchObjectLockConfiguration: [404, 'The object has no retention or legal hold.'],
  NoSuchTagSet: [404, 'There is no tag set associated with the bucket.'],
  NoSuchUpload: [404, 'The specified upload does not exist. It may have been aborted or completed.'],
  NoSuchVersion: [404, 'The specified version does not exist.'],
  NotImplemented: [501, 'A header or parameter that you provided implies functionality that is not implemented.'],
  NotModified: [304, 'Not Modified.'],
  ObjectLockConfigurationNotFoundError: [404, 'Object lock is not configured for this bucket.'],
  OperationAborted: [409, 'A conflicting operation is in progress. Try again.'],
  PreconditionFailed: [412, 'At least one of the preconditions that you specified did not hold.'],
  QuotaExceeded: [403, 'The quota of the bucket is exceeded.'],
  RequestTimeTooSkewed: [403, 'The difference between the request time and the current time is too large.'],
  RequestTimeout: [400, 'Your socket connection to the server was not read from or written to within the timeout.'],
  ServerSideEncryptionConfigurationNotFoundError: [404, 'The encryption configuration was not found.'],
  ServiceUnavailable: [503, 'Reduce your request rate.'],
  SignatureDoesNotMatch: [403, 'The request signature that we calculated does not match the signature you provided.'],
  TooManyBuckets: [400, 'You have attempted to create more buckets than allowed.'],
  UnresolvableGrantByEmailAddress: [400, 'The e-mail address that you provided does not match any account on record.'],
  XAmzContentSHA256Mismatch: [400, 'The provided x-amz-content-sha256 header does not match what was computed.'],
} as const satisfies Record<string, readonly [number, string]>;

export type S3Code = keyof typeof codes;

/** A refusal with a code of S3. */
export class S3Error extends Error {
  override name = 'S3Error';
  readonly status: number;

  constructor(
    readonly code: S3Code,
    message?: string,
    /** Further elements of the body, and headers. */
    readonly more: { elements?: Record<string, string>; headers?: Record<string, string> } = {},
  ) {
    super(message ?? codes[code][1]);
    this.status = codes[code][0];
  }

  /** The body of the answer. */
  body(resource: string, requestId: string): string {
    const elements = {
      Code: this.code,
      Message: this.message,
      ...this.more.elements,
      Resource: resource,
      RequestId: requestId,
    };
    const lines = Object.entries(elements).map(([name, text]) => `<${name}>${escapeXml(text)}</${name}>`);
    return `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${lines.join('')}</Error>`;
  }
}
