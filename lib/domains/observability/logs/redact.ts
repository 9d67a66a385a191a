const REDACTED = '***';

/** Most lines have none of this, and are left as they are. */
const suspicious = /authorization|bearer|x-amz-|x-goog-|awsaccesskeyid|[?&]sig(?:nature)?=/i;

/** Of headers, JSON and logfmt: up to the end of the credential, whose scheme may stand before it. */
const authorization =
  /(authorization\\?["']?\s{0,9}[:=]\s{0,9}\\?["']?)(?:aws4-hmac-sha256[^"'\n]*|(?:[a-z0-9-]{1,30} +)?[^\s"',;}\\]+)/gi;
/** A token has a digit or punctuation; a word after "bearer" does not. */
const bearer = /(\bbearer +)(?=[\w~+/-]*[\d._~+/-])[\w.~+/-]{8,}=*/gi;
/** A whole query string with a signature, also one that is encoded in another address. No `?` inside: each byte is read once. */
const presigned =
  /(\?|%3f)[^\s"'<>`?]*?(?:x-amz-(?:signature|credential|security-token)|x-goog-signature|awsaccesskeyid|(?<=[?&;]|u0026|%26|%3f)sig(?:nature)?)(?:=|%3d)[^\s"'<>`]*/gi;

/** A line without the query strings of presigned URLs and without credentials of Authorization headers. */
export function redact(line: string): string {
  if (!suspicious.test(line)) return line;
  return line
    .replace(authorization, `$1${REDACTED}`)
    .replace(bearer, `$1${REDACTED}`)
    .replace(presigned, `$1${REDACTED}`);
}
