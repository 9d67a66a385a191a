import type { Readable } from 'node:stream';
import { lifecycleElements } from '../s3/lifecycle';
import { document, element, list, parseXml, text } from '../s3/xml';
import { accountNamed } from './accounts';
import { findBucket, listBuckets } from './admin';
import { ask, open, type Pair, StoreRefusal, unlessMissing } from './store';

/** The account that owns the platform's own buckets in the outside store. No tenant has a key to it. */
const ACCOUNT = 'nephele-platform';
const MB = 1024 ** 2;
const PART_BYTES = 16 * MB;
/** Parts of a store have numbers up to 10,000: each thousand is larger than the one before, up to 880 GB in all. */
const PARTS_OF_A_SIZE = 1_000;
const partBytes = (number: number) => PART_BYTES * (1 + Math.floor((number - 1) / PARTS_OF_A_SIZE));

/** A bucket of the platform in the outside store: metered and billed for nobody. */
export type PlatformBucket = {
  /** Puts an object in as a whole or not at all. @returns its bytes */
  put(key: string, content: Readable): Promise<number>;
  /** @throws StoreRefusal 404 when there is none */
  get(key: string): Promise<Readable>;
  has(key: string): Promise<boolean>;
  /** Objects whose keys begin so, in order. */
  list(prefix: string): Promise<{ key: string; bytes: number }[]>;
  /** No error when there is none. */
  remove(key: string): Promise<void>;
};

/** The platform's bucket with a name that begins with `nephele-`; it is made when it is first used. @throws ApiError 503 */
export async function platformBucket(name: string): Promise<PlatformBucket> {
  const pair = await accountNamed(ACCOUNT, 'Nephele');
  return bucketOf(pair, await bucketNamed(pair, name));
}

const names = new Map<string, string>();

/** Names are shared with all accounts: where somebody else has one, the next is taken, and kept. */
async function bucketNamed(pair: Pair, name: string): Promise<string> {
  const known = names.get(name);
  if (known !== undefined) return known;
  const isOurs = (other: string) => other === name || new RegExp(`^${name}-\\d+$`).test(other);
  const held = (await listBuckets(ACCOUNT)).map((bucket) => bucket.name).filter(isOurs);
  const found = held.toSorted()[0] ?? (await makeBucket(pair, name));
  await endUnfinished(pair, found);
  names.set(name, found);
  return found;
}

async function makeBucket(pair: Pair, name: string): Promise<string> {
  let free = name;
  for (let number = 2; await findBucket(free); number += 1) free = `${name}-${number}`;
  await ask(pair, { method: 'PUT', path: `/${free}` });
  return free;
}

/** Has the store remove uploads that nobody finished, because their process died. */
async function endUnfinished(pair: Pair, bucket: string): Promise<void> {
  const unfinished = { id: 'unfinished', enabled: true, prefix: '', tags: {}, abortDays: 1 };
  const body = document('LifecycleConfiguration', lifecycleElements([unfinished]));
  await ask(pair, { method: 'PUT', path: `/${bucket}`, query: { lifecycle: '' }, body });
}

function bucketOf(pair: Pair, bucket: string): PlatformBucket {
  const at = (key: string) => `/${bucket}/${key}`;
  return {
    put: (key, content) =>
      putWhole(pair, at(key), inParts(content)).catch((error) => {
        content.destroy();
        throw error;
      }),
    get: (key) => open(pair, at(key)),
    async has(key) {
      return (await unlessMissing(ask(pair, { method: 'HEAD', path: at(key) }))) !== undefined;
    },
    async list(prefix) {
      const found: { key: string; bytes: number }[] = [];
      let token: string | undefined;
      do {
        const query = { 'list-type': '2', prefix, ...(token === undefined ? {} : { 'continuation-token': token }) };
        const { body } = await ask(pair, { method: 'GET', path: `/${bucket}`, query });
        const page = parseXml(body, 'ListBucketResult');
        for (const one of list(page?.Contents)) {
          const object = element(one);
          found.push({ key: text(object?.Key) ?? '', bytes: Number(text(object?.Size)) });
        }
        token = text(page?.IsTruncated) === 'true' ? text(page?.NextContinuationToken) : undefined;
      } while (token !== undefined);
      return found;
    },
    async remove(key) {
      await unlessMissing(ask(pair, { method: 'DELETE', path: at(key) }));
    },
  };
}

type Parts = AsyncGenerator<Buffer<ArrayBuffer>, void>;

async function putWhole(pair: Pair, path: string, parts: Parts): Promise<number> {
  const first = await parts.next();
  const second = first.done ? first : await parts.next();
  if (!first.done && !second.done) return upload(pair, path, [first.value, second.value], parts);
  const body = first.done ? Buffer.alloc(0) : first.value;
  await ask(pair, { method: 'PUT', path, body });
  return body.length;
}

/** Puts parts in one after the other; a failure of their source ends the upload. */
async function upload(pair: Pair, path: string, begun: readonly Buffer<ArrayBuffer>[], others: Parts): Promise<number> {
  const made = await ask(pair, { method: 'POST', path, query: { uploads: '' } });
  const uploadId = text(parseXml(made.body, 'InitiateMultipartUploadResult')?.UploadId) ?? '';
  const Part: { PartNumber: string; ETag: string }[] = [];
  let bytes = 0;
  const put = async (body: Buffer<ArrayBuffer>) => {
    const partNumber = String(Part.length + 1);
    const { headers } = await ask(pair, { method: 'PUT', path, query: { partNumber, uploadId }, body });
    Part.push({ PartNumber: partNumber, ETag: headers.get('etag') ?? '' });
    bytes += body.length;
  };
  try {
    for (const part of begun) await put(part);
    for await (const part of others) await put(part);
    const body = document('CompleteMultipartUpload', { Part });
    const completed = await ask(pair, { method: 'POST', path, query: { uploadId }, body });
    // A failure after the first byte of the answer comes with status 200.
    if (!parseXml(completed.body, 'CompleteMultipartUploadResult'))
      throw new StoreRefusal(200, text(parseXml(completed.body, 'Error')?.Code) ?? '', `POST ${path}`);
    return bytes;
  } catch (error) {
    await ask(pair, { method: 'DELETE', path, query: { uploadId } }).catch(() => {});
    throw error;
  }
}

/** Content in pieces as large as a store's parts. */
async function* inParts(content: Readable): Parts {
  let [pieces, size, number] = [[] as Buffer[], 0, 1];
  for await (const piece of content) {
    pieces.push(piece);
    size += piece.length;
    while (size >= partBytes(number)) {
      const whole = Buffer.concat(pieces);
      const end = partBytes(number);
      yield whole.subarray(0, end);
      [pieces, size, number] = [[whole.subarray(end)], whole.length - end, number + 1];
    }
  }
  if (size > 0) yield Buffer.concat(pieces);
}
