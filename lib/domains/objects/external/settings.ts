import { invalid } from '@/lib/core/api/errors';
import { settings } from '@/lib/settings';
import type { BucketChange } from '../bucket-change';
import { type CorsRule, corsElements, parseCors, portalRule } from '../s3/cors';
import { type LifecycleRule, lifecycleElements, parseLifecycle } from '../s3/lifecycle';
import { document, element, list, parseXml, text } from '../s3/xml';
import { setQuota } from './admin';
import { ask, type Pair, StoreRefusal, unlessMissing } from './store';

/** What the outside store knows of a bucket's settings. */
export type StoredSettings = {
  acl: 'private' | 'public-read';
  public_write: boolean;
  grants: { id: string; permission: string }[] | null;
  versioning: 'off' | 'enabled' | 'suspended';
  lifecycle: LifecycleRule[] | null;
  cors: CorsRule[] | null;
  policy: string | null;
};

const EVERYONE = 'http://acs.amazonaws.com/groups/global/AllUsers';
/** The statement by which a public bucket's objects are public, as they are in the platform's own store. */
const PUBLIC_SID = 'NephelePublicRead';
/** The rule by which pages of the portal may send and read objects. */
const PORTAL_ID = 'nephele-portal';

/** Reads the settings of a bucket. */
export async function readSettings(pair: Pair, name: string): Promise<StoredSettings> {
  const part = (query: string) =>
    unlessMissing(ask(pair, { method: 'GET', path: `/${name}`, query: { [query]: '' } })).then((reply) => reply?.body);
  const [acl, versioning, lifecycle, cors, policy] = await Promise.all(
    ['acl', 'versioning', 'lifecycle', 'cors', 'policy'].map(part),
  );
  const rules = cors === undefined ? [] : parseCors(cors).filter(({ id }) => id !== PORTAL_ID);
  const status = text(parseXml(versioning ?? '', 'VersioningConfiguration')?.Status);
  return {
    ...readAcl(acl ?? '', name),
    versioning: status === 'Enabled' ? 'enabled' : status === 'Suspended' ? 'suspended' : 'off',
    lifecycle: lifecycle === undefined ? null : parseLifecycle(lifecycle),
    cors: rules.length === 0 ? null : rules,
    policy: policy === undefined ? null : splitPolicy(policy).own,
  };
}

function readAcl(body: string, name: string): Pick<StoredSettings, 'acl' | 'public_write' | 'grants'> {
  const whole = parseXml(body, 'AccessControlPolicy');
  if (!whole) throw new Error(`the outside object storage gave no ACL of ${name}`);
  const owner = text(element(whole.Owner)?.ID);
  const given = list(element(whole.AccessControlList)?.Grant).map((grant) => {
    const { Grantee, Permission } = element(grant) ?? {};
    const grantee = element(Grantee) ?? {};
    return { id: text(grantee.ID), group: text(grantee.URI), permission: text(Permission) ?? '' };
  });
  const open = given.filter(({ group }) => group === EVERYONE).map(({ permission }) => permission);
  const isOpen = open.some((permission) => ['READ', 'FULL_CONTROL'].includes(permission));
  const grants = given.flatMap(({ id, permission }) => (id === undefined || id === owner ? [] : [{ id, permission }]));
  return {
    acl: isOpen ? 'public-read' : 'private',
    public_write: isOpen && open.some((permission) => ['WRITE', 'FULL_CONTROL'].includes(permission)),
    grants: grants.length === 0 ? null : grants,
  };
}

type Policy = { Statement?: unknown } & Record<string, unknown>;

/** The tenant's part of a policy, and whether the platform's is there. */
function splitPolicy(policy: string): { own: string | null; isPublic: boolean } {
  const whole: Policy = JSON.parse(policy);
  const statements = Array.isArray(whole.Statement) ? whole.Statement : [whole.Statement];
  const own = statements.filter((statement) => statement?.Sid !== PUBLIC_SID);
  if (own.length === statements.length) return { own: policy, isPublic: false };
  return { own: own.length === 0 ? null : JSON.stringify({ ...whole, Statement: own }), isPublic: true };
}

function joinPolicy(own: string | null, isPublic: boolean, name: string): string | null {
  if (!isPublic) return own;
  const whole: Policy = own === null ? { Version: '2012-10-17', Statement: [] } : JSON.parse(own);
  const statements = Array.isArray(whole.Statement) ? whole.Statement : [whole.Statement];
  const open = {
    Sid: PUBLIC_SID,
    Effect: 'Allow',
    Principal: '*',
    Action: ['s3:GetObject', 's3:GetObjectVersion'],
    Resource: [`arn:aws:s3:::${name}/*`],
  };
  return JSON.stringify({ ...whole, Statement: [...statements, open] });
}

/**
 * Writes settings of a bucket to the outside store.
 * @throws ApiError 400 for what it does not keep as it was given
 */
export async function writeSettings(pair: Pair, uid: string, name: string, change: BucketChange): Promise<void> {
  const put = (query: string, body: string, headers = {}) =>
    ask(pair, { method: 'PUT', path: `/${name}`, query: { [query]: '' }, body, headers });
  if (change.quota_bytes !== undefined) await setQuota(uid, name, change.quota_bytes);
  if (change.acl !== undefined) await put('acl', '', { 'x-amz-acl': change.acl });
  if (change.acl !== undefined || change.policy !== undefined) await writePolicy(pair, name, change);
  if (change.versioning !== undefined) {
    const Status = change.versioning === 'enabled' ? 'Enabled' : 'Suspended';
    await put('versioning', document('VersioningConfiguration', { Status }));
  }
  if (change.lifecycle !== undefined) await writeLifecycle(pair, name, change.lifecycle ?? []);
  if (change.cors !== undefined) {
    const rules = [...(change.cors ?? []), { id: PORTAL_ID, ...portalRule() }];
    await put('cors', document('CORSConfiguration', corsElements(rules)));
  }
}

async function writePolicy(pair: Pair, name: string, { acl, policy }: BucketChange): Promise<void> {
  const target = { path: `/${name}`, query: { policy: '' } };
  const past = await unlessMissing(ask(pair, { method: 'GET', ...target }));
  const { own, isPublic } = past ? splitPolicy(past.body) : { own: null, isPublic: false };
  const isOpen = acl === undefined ? isPublic : acl === 'public-read';
  const next = joinPolicy(policy === undefined ? own : policy, isOpen, name);
  if (next === null) {
    if (past) await ask(pair, { method: 'DELETE', ...target });
    return;
  }
  await ask(pair, { method: 'PUT', ...target, body: next }).catch((error) => {
    if (error instanceof StoreRefusal && error.status === 400)
      throw invalid(
        'policy: the outside object storage does not accept it. It may not know a principal or a condition.',
      );
    throw error;
  });
}

/** RGW leaves out what it does not know, so that the rules are read again: a rule that is ignored would keep or delete the wrong things. */
async function writeLifecycle(pair: Pair, name: string, rules: readonly LifecycleRule[]): Promise<void> {
  const target = { path: `/${name}`, query: { lifecycle: '' } };
  const read = async () => (await unlessMissing(ask(pair, { method: 'GET', ...target })))?.body;
  const before = await read();
  const write = (body: string | undefined) =>
    body === undefined ? ask(pair, { method: 'DELETE', ...target }) : ask(pair, { method: 'PUT', ...target, body });
  if (rules.length === 0) return void (before === undefined || (await write(undefined)));
  await write(document('LifecycleConfiguration', lifecycleElements(rules))).catch((error) => {
    if (error instanceof StoreRefusal && error.status === 400)
      throw invalid('lifecycle: the outside object storage does not accept these rules.');
    throw error;
  });
  const kept = parseLifecycle((await read()) ?? '');
  if (inOrder(kept) === inOrder(rules)) return;
  await write(before);
  throw invalid('lifecycle: the outside object storage does not keep every part of these rules.');
}

const inOrder = (rules: readonly LifecycleRule[]) =>
  JSON.stringify(
    [...rules]
      .sort((one, other) => (one.id < other.id ? -1 : 1))
      .map((rule) => Object.entries(rule).sort(([one], [other]) => (one < other ? -1 : 1))),
  );

/** Whether browsers of the portal may send objects to the bucket. S3 clients may have replaced the rule. */
export async function allowPortal(pair: Pair, name: string): Promise<void> {
  const target = { path: `/${name}`, query: { cors: '' } };
  const past = await unlessMissing(ask(pair, { method: 'GET', ...target }));
  const rules = past ? parseCors(past.body) : [];
  const { baseUrl } = settings();
  if (rules.some(({ id, origins }) => id === PORTAL_ID && origins.includes(new URL(baseUrl).origin))) return;
  const own = rules.filter(({ id }) => id !== PORTAL_ID);
  const body = document('CORSConfiguration', corsElements([...own, { id: PORTAL_ID, ...portalRule() }]));
  await ask(pair, { method: 'PUT', ...target, body });
}
