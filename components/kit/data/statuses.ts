import {
  Ban,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleStop,
  Clock,
  CloudDownload,
  Forward,
  LoaderCircle,
  type LucideIcon,
  Snowflake,
  TriangleAlert,
} from 'lucide-react';
import type { Tone } from '@/components/kit/ui/badge';

export interface StatusLook {
  label: string;
  tone: Tone;
  icon: LucideIcon;
  /** Changing to another state: the icon turns. */
  moving?: boolean;
}

const good = (label: string, icon: LucideIcon = CircleCheck): StatusLook => ({ label, tone: 'positive', icon });
const rest = (label: string, icon: LucideIcon = CircleStop): StatusLook => ({ label, tone: 'neutral', icon });
const wait = (label: string): StatusLook => ({ label, tone: 'neutral', icon: Clock });
const busy = (label: string): StatusLook => ({ label, tone: 'moving', icon: LoaderCircle, moving: true });
const warn = (label: string, icon: LucideIcon = TriangleAlert): StatusLook => ({ label, tone: 'caution', icon });
const bad = (label: string, icon: LucideIcon = CircleAlert): StatusLook => ({ label, tone: 'critical', icon });

/** Every status of the platform and how it looks. One map, so that a word means the same on every page. */
const looks = new Map<string, StatusLook>([
  // resources
  ['active', good('Active')],
  ['available', good('Available')],
  ['in_use', good('In use')],
  ['subscribed', good('Subscribed')],
  ['ready', good('Ready')],
  ['online', good('Online')],
  ['up', good('Up')],
  ['healthy', good('Healthy')],
  ['enabled', good('Enabled')],
  ['issued', good('Issued')],
  ['running', busy('Running')],
  ['stopped', rest('Stopped')],
  ['paused', rest('Paused', CirclePause)],
  ['disabled', rest('Disabled', Ban)],
  ['deprecated', warn('Deprecated')],
  ['degraded', warn('Degraded')],
  ['draining', warn('Draining', CirclePause)],
  ['no_monitor', rest('Not monitored', CircleDashed)],
  ['no_check', rest('Not checked', CircleDashed)],
  ['enforced', good('Enforced')],
  ['weaker', warn('Weaker')],
  ['suspended', warn('Suspended', Ban)],
  ['frozen', warn('Frozen', Snowflake)],
  ['expired', warn('Expired', Clock)],
  ['expiring', warn('Expiring', Clock)],
  ['expires_soon', warn('Expires soon', Clock)],
  ['revoked', rest('Revoked', Ban)],
  ['invited', wait('Invited')],
  ['error', bad('Error')],
  ['down', rest('Down')],
  ['failing', bad('Down')],
  ['associated', good('Associated')],
  ['offline', bad('Offline')],
  ['unavailable', bad('Unavailable')],

  // resources that change
  ['provisioning', busy('Provisioning')],
  ['starting', busy('Starting')],
  ['creating', busy('Creating')],
  ['pending_create', busy('Creating')],
  ['building', busy('Building')],
  ['fetching', busy('Fetching')],
  ['uploading', busy('Uploading')],
  ['importing', busy('Importing')],
  ['saving', busy('Saving')],
  ['verifying', busy('Verifying')],
  ['attaching', busy('Attaching')],
  ['detaching', busy('Detaching')],
  ['resizing', busy('Resizing')],
  ['updating', busy('Updating')],
  ['deploying', busy('Deploying')],
  ['pending_update', busy('Updating')],
  ['scaling', busy('Scaling')],
  ['rebooting', busy('Rebooting')],
  ['rebuilding', busy('Rebuilding')],
  ['deleting', busy('Deleting')],
  ['pending_delete', busy('Deleting')],

  // operations
  ['pending', wait('Pending')],
  ['queued', wait('Queued')],
  ['pending_verification', wait('Waiting for verification')],
  ['on_demand', rest('On first use', CloudDownload)],
  ['absent', rest('On first use', CloudDownload)],
  ['waiting', wait('Waiting')],
  ['retrying', { ...busy('Retrying'), tone: 'caution' }],
  ['preflight', busy('Preflight')],
  ['backup', busy('Backup')],
  ['replicating', busy('Replicating')],
  ['switching_over', busy('Switching over')],
  ['rolling_back', { ...busy('Rolling back'), tone: 'caution' }],
  ['rolled_back', warn('Rolled back')],
  ['succeeded', good('Succeeded')],
  ['completed', good('Completed')],
  ['cancelled', rest('Cancelled', Ban)],
  ['failed', bad('Failed')],
  ['timed_out', bad('Timed out')],
  ['out_of_memory', bad('Out of memory')],
  ['dead_letter', bad('Dead letter')],

  // decisions and money
  ['allowed', good('Allowed')],
  ['refused', warn('Refused', Ban)],
  ['open', wait('Open')],
  ['closed', rest('Closed', CircleCheck)],
  ['paid', good('Paid')],
  ['deferred', wait('Deferred')],
  ['carried', rest('Carried over', Forward)],
  ['void', rest('Void', Ban)],
  ['coming', wait('Upcoming')],
  ['current', good('Current')],
  ['past', rest('Past')],
  ['replaced', rest('Replaced', Ban)],
  ['delivered', good('Delivered')],

  // connections
  ['connecting', busy('Connecting')],
  ['connected', good('Connected')],
  ['disconnected', warn('Disconnected')],
]);

/** Statuses as the options of a filter. */
export function statusOptions(statuses: readonly string[]): { value: string; label: string }[] {
  return statuses.map((value) => ({ value, label: statusLook(value).label }));
}

/** How a status looks. One that the map lacks is shown in a neutral style. */
export function statusLook(status: string): StatusLook {
  const words = status.replaceAll('_', ' ');
  return (
    looks.get(status) ?? { label: words.charAt(0).toUpperCase() + words.slice(1), tone: 'neutral', icon: CircleDashed }
  );
}
