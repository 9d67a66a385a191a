import { domainPortals } from '@/lib/client/domains';
import { merged } from '@/lib/core/domains/portal';

/** `secret.read_payload` as words that a name follows: "read the value of secret". */
export function actionWords(action: string): string {
  const [type = '', verb = ''] = action.split('.');
  const whole = wholes[action];
  if (whole) return whole;
  const thing = type.replaceAll('_', ' ').replace(/\bip\b/, 'IP');
  return `${verbs[verb] ?? verb.replaceAll('_', ' ')} ${thing}`;
}

/** Where verb and thing do not make a sentence. */
const wholes: Readonly<Record<string, string>> = {
  ...merged(domainPortals.map(({ actions }) => actions)),
  'audit.export': 'exported the audit log',
  'auth.change_password': 'changed the password',
  'auth.request_password_reset': 'requested a password reset',
  'auth.reset_password': 'reset the password by a mailed link',
  'auth.login': 'signed in',
  'auth.logout': 'signed out',
  'billing.quote': 'requested a quote',
  'billing.reconcile': 'checked billing',
  'iam.simulate': 'used the policy simulator',
  'month.close': 'closed the month',
  'role.assign': 'assigned a role to',
  'role.revoke': 'revoked the role of',
  'session.revoke_all': 'ended all sessions',
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
  create: 'created',
  decline: 'declined',
  delete: 'deleted',
  detach: 'detached',
  disable: 'disabled',
  disassociate: 'disassociated',
  grant: 'granted',
  open_console: 'opened the console of',
  pay: 'paid',
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
  revoke_sessions: 'ended the sessions of',
  rotate: 'rotated',
  set_default: 'set as the default',
  setup: 'started setting up',
  suspend: 'suspended',
  test_alerts: 'tested the alerts of',
  update: 'updated',
  update_profile: 'updated the profile of',
  upload: 'uploaded',
  verify: 'verified',
};
