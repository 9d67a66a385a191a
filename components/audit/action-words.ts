import { domainPortals } from '@/lib/client/domains';
import { auditAction } from '@/lib/core/audit/action';
import { merged } from '@/lib/core/domains/portal';
import { typeWords } from '@/lib/format/resource-type';

/** `secret.read_payload` as words that a name follows: "read the value of secret". */
export function actionWords(recorded: string): string {
  // Entries of earlier versions name a refused read by its operation ID.
  const action = recorded.includes('.') ? recorded : auditAction({ operation_id: recorded });
  const [type = '', verb = ''] = action.split('.');
  const whole = wholes[action];
  if (whole) return whole;
  const thing = typeWords(type);
  return `${verbs[verb] ?? verb.replaceAll('_', ' ')} ${verb === 'list' ? plural(thing) : thing}`;
}

function plural(thing: string): string {
  return thing.endsWith('y') ? `${thing.slice(0, -1)}ies` : `${thing}s`;
}

/** Where verb and thing do not make a sentence. */
const wholes: Readonly<Record<string, string>> = {
  ...merged(domainPortals.map(({ actions }) => actions)),
  'activity.list': 'read the recent activity',
  'audit.export': 'exported the audit log',
  'audit.list': 'read the audit log',
  'auth.change_password': 'changed the password',
  'auth.request_password_reset': 'requested a password reset',
  'auth.reset_password': 'reset the password by a mailed link',
  'auth.login': 'signed in',
  'auth.logout': 'signed out',
  'request.quote': 'requested a quote',
  // Entries of earlier releases.
  'billing.quote': 'requested a quote',
  'billing.reconcile': 'checked billing',
  'iam.simulate': 'used the policy simulator',
  'month.close': 'closed the month',
  'notification.read_all': 'read all notifications',
  'notification.set_preferences': 'changed notification preferences',
  'resource.tag': 'changed the tags of',
  'role.assign': 'assigned a role to',
  'role.revoke': 'revoked the role of',
  'session.revoke_all': 'ended all sessions',
  'tenant_revenue.list': 'read the revenue by tenant',
  'usage.list': 'read the usage',
  'platform_audit.list': 'read the audit log of the platform',
  'sso_client.create': 'added the application',
  'sso_client.delete': 'deleted the application',
  'sso_client.rotate_secret': 'rotated the secret of the application',
  'sts.assume_role': 'exchanged an identity for credentials',
};

const verbs: Readonly<Record<string, string>> = {
  accept: 'accepted',
  action: 'changed the state of',
  activate: 'activated',
  add_admin: 'added an admin to',
  add_rule: 'added a rule to',
  allocate: 'allocated',
  associate: 'associated',
  attach: 'attached',
  begin: 'started adding',
  change: 'changed',
  complete: 'completed',
  count: 'counted',
  create: 'created',
  decline: 'declined',
  delete: 'deleted',
  detach: 'detached',
  disable: 'disabled',
  disassociate: 'disassociated',
  download: 'downloaded',
  export: 'exported',
  grant: 'granted',
  list: 'listed',
  open_console: 'opened the console of',
  pay: 'paid',
  query: 'queried',
  read: 'read',
  receive: 'received',
  release: 'released',
  remove: 'removed',
  rename: 'renamed',
  remove_rule: 'removed a rule from',
  reset_second_factor: 'reset two-factor authentication of',
  release_email: 'released the e-mail address of',
  resize: 'resized',
  resume: 'resumed',
  retry: 'retried',
  revoke: 'revoked',
  search: 'searched',
  revoke_sessions: 'ended the sessions of',
  rotate: 'rotated',
  set_default: 'set as the default',
  setup: 'started setting up',
  stream: 'followed',
  suspend: 'suspended',
  test_alerts: 'tested the alerts of',
  update: 'updated',
  update_profile: 'updated the profile of',
  upload: 'uploaded',
  verify: 'verified',
};
