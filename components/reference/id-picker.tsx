'use client';

import { type ComponentProps, useCallback, useRef, useState } from 'react';
import * as z from 'zod/mini';
import { Combobox } from '@/components/kit/ui/combobox';
import type { Option } from '@/components/kit/ui/option';
import { useCredential } from './credential';
import { requestWith } from './request';

const rows = z.array(
  z.looseObject({
    id: z.string(),
    ...Object.fromEntries(['name', 'email', 'address', 'number'].map((field) => [field, z.optional(z.unknown())])),
  }),
);

interface IdPickerProps extends Pick<ComponentProps<'button'>, 'id' | 'aria-describedby' | 'aria-invalid'> {
  /** The list that has the resources. */
  path: string;
  value: string;
  onChange: (id: string) => void;
}

/** Chooses a resource by its name, or takes an ID as typed. The list is read when the picker opens. */
export function IdPicker({ path, value, onChange, ...field }: IdPickerProps) {
  const { token } = useCredential();
  const [options, setOptions] = useState<readonly Option[]>([]);
  const loadedWith = useRef<string>(undefined);
  const load = useCallback(() => {
    if (loadedWith.current === token) return;
    loadedWith.current = token;
    void readOptions(path, token).then(setOptions);
  }, [path, token]);
  return (
    <Combobox
      {...field}
      nouns={nounsOf(path)}
      options={options}
      typed={(text) => (text === '' ? undefined : { value: text, label: text })}
      onSearch={load}
      value={value === '' ? undefined : value}
      onValueChange={onChange}
      placeholder="Choose, or enter an ID"
      mono
      className="w-full"
    />
  );
}

/** The newest resources of a list; none if the caller may not read it. */
async function readOptions(path: string, token: string): Promise<Option[]> {
  const response = await fetch(requestWith(token, `${path}?limit=200`)).catch(() => undefined);
  const { data = [] } = rows.safeParse(response?.ok ? await response.json() : []);
  return data.map(({ id, ...row }) => {
    const name = [row.name, row.email, row.address, row.number].find((one) => typeof one === 'string' && one !== '');
    return typeof name === 'string' ? { value: id, label: name, description: id } : { value: id, label: id };
  });
}

/** `/api/v1/network/security-groups` lists "security groups". */
function nounsOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replaceAll('-', ' ');
}
