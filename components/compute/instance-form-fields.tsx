'use client';

import type { UseFormReturn } from 'react-hook-form';
import type { Volume } from '@/components/storage/storage-can';
import type { Row } from '@/lib/client/list';
import { FlavorField, type FlavorFieldProps } from './flavor-field';
import type { InstanceValues } from './instance-values';
import { SecurityGroupsField } from './security-groups-field';
import { VolumesField } from './volumes-field';

type Control = UseFormReturn<InstanceValues>['control'];

/** The flavor of a new instance. */
export function FlavorOfInstance(props: Omit<FlavorFieldProps<InstanceValues>, 'name'>) {
  return <FlavorField {...props} name="flavor_id" />;
}

/** The security groups of a new instance. */
export function GroupsOfInstance(props: {
  control: Control;
  groups: readonly Row<'/api/v1/network/security-groups'>[];
}) {
  return <SecurityGroupsField {...props} name="security_group_ids" />;
}

/** The volumes that a new instance starts with. */
export function VolumesOfInstance(props: { control: Control; volumes: readonly Volume[] }) {
  return <VolumesField {...props} name="volume_ids" />;
}
