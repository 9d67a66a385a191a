import { changeRetention, type LockMode, readVersion, setLegalHold } from '../store/rows';
import { requirePermission } from './access';
import { type Answer, type BucketContext, empty, iso, type ObjectContext, xml } from './answer';
import { takeText } from './body';
import { S3Error } from './errors';
import { bypasses, isMode, type LockRule, momentOf } from './lock';
import { updateNamed } from './manage';
import { element, parseXml, text, type Xml } from './xml';

const MOST_DAYS = 36_500;
const MOST_YEARS = 100;

function modeOf(value: string | undefined): LockMode {
  if (!isMode(value)) throw new S3Error('MalformedXML');
  return value;
}

export async function getConfiguration(context: BucketContext): Promise<Answer> {
  const { bucket, request } = context;
  requirePermission(request, context, { action: 's3:GetBucketObjectLockConfiguration', kind: 'read' });
  if (!bucket.object_lock) throw new S3Error('ObjectLockConfigurationNotFoundError');
  const { mode, days, years } = bucket.object_lock;
  return xml('ObjectLockConfiguration', {
    ObjectLockEnabled: 'Enabled',
    Rule: mode ? { DefaultRetention: { Mode: mode, Days: days, Years: years } } : undefined,
  });
}

/** Object lock stays once it is there. A bucket that keeps versions may get it later. */
export async function putConfiguration(context: BucketContext): Promise<Answer> {
  const { bucket, request } = context;
  requirePermission(request, context, { action: 's3:PutBucketObjectLockConfiguration', kind: 'write' });
  const parsed = parseXml(await takeText(request, context), 'ObjectLockConfiguration');
  if (text(parsed?.ObjectLockEnabled) !== 'Enabled') throw new S3Error('MalformedXML');
  const rule = element(parsed?.Rule);
  const object_lock = rule ? ruleOf(element(rule.DefaultRetention)) : {};
  if (bucket.versioning !== 'enabled')
    throw new S3Error('InvalidBucketState', 'Object lock needs a bucket that keeps versions.');
  await updateNamed(context, { object_lock });
  return empty(200);
}

function ruleOf(given: Xml | undefined): LockRule {
  const [days, years] = [text(given?.Days), text(given?.Years)];
  const mode = modeOf(text(given?.Mode));
  if ((days === undefined) === (years === undefined)) throw new S3Error('MalformedXML');
  const [value, most] = days === undefined ? [Number(years), MOST_YEARS] : [Number(days), MOST_DAYS];
  if (!Number.isInteger(value) || value < 1 || value > most) throw new S3Error('InvalidRetentionPeriod');
  return days === undefined ? { mode, years: value } : { mode, days: value };
}

/** The version that a retention or hold is about. */
async function target(context: ObjectContext, action: string, kind: 'read' | 'write') {
  const { request, bucket, key } = context;
  requirePermission(request, context, { action, kind, key });
  if (!bucket.object_lock) throw new S3Error('InvalidRequest', 'Bucket is missing Object Lock Configuration.');
  const id = request.query.get('versionId');
  const version = await readVersion(bucket.id, key, id);
  if (!version) throw new S3Error(id === undefined ? 'NoSuchKey' : 'NoSuchVersion');
  if (version.delete_marker) throw new S3Error('MethodNotAllowed');
  return version;
}

export async function getRetention(context: ObjectContext): Promise<Answer> {
  const { lock_mode, retain_until } = await target(context, 's3:GetObjectRetention', 'read');
  if (!lock_mode || !retain_until) throw new S3Error('NoSuchObjectLockConfiguration');
  return xml('Retention', { Mode: lock_mode, RetainUntilDate: iso(retain_until) });
}

export async function putRetention(context: ObjectContext): Promise<Answer> {
  const { request, key } = context;
  const parsed = parseXml(await takeText(request, context), 'Retention');
  const isEmpty = parsed?.Mode === undefined && parsed?.RetainUntilDate === undefined;
  const version = await target(context, 's3:PutObjectRetention', 'write');
  const wanted = isEmpty
    ? null
    : { mode: modeOf(text(parsed?.Mode)), until: momentOf(text(parsed?.RetainUntilDate), request) };
  if (!(await changeRetention(version, wanted, bypasses(context, key)))) throw new S3Error('AccessDenied');
  return empty(200);
}

export async function getLegalHold(context: ObjectContext): Promise<Answer> {
  const { legal_hold } = await target(context, 's3:GetObjectLegalHold', 'read');
  if (legal_hold === null) throw new S3Error('NoSuchObjectLockConfiguration');
  return xml('LegalHold', { Status: legal_hold ? 'ON' : 'OFF' });
}

export async function putLegalHold(context: ObjectContext): Promise<Answer> {
  const { request } = context;
  const status = text(parseXml(await takeText(request, context), 'LegalHold')?.Status);
  const version = await target(context, 's3:PutObjectLegalHold', 'write');
  if (status !== 'ON' && status !== 'OFF') throw new S3Error('MalformedXML');
  await setLegalHold(version, status === 'ON');
  return empty(200);
}
