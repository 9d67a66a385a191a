'use client';

import type { ReactElement } from 'react';
import { Menu, MenuContent, MenuItem, MenuTrigger } from '@/components/kit/ui/menu';
import { notify } from '@/components/kit/ui/notify';
import { copyText } from '@/lib/client/clipboard';
import { asCurl, asJavaScript, type Command, commandOf, TOKEN_VARIABLE } from '@/lib/client/commands';
import type { CopyAsProps } from './copy-as';

const forms: readonly { label: string; write: (command: Command) => string }[] = [
  { label: 'curl', write: asCurl },
  { label: 'JavaScript', write: asJavaScript },
];

/** The opened menu of formats. */
export function CopyAsPopup({ trigger, call }: CopyAsProps & { trigger: ReactElement }) {
  const copy = async (label: string, write: (command: Command) => string) => {
    const asked = call();
    if (!asked) return notify('error', 'The form is not complete', { description: 'Complete it to copy its request.' });
    await copyText(write(commandOf(asked, window.location.origin)));
    return notify('success', `Copied as ${label}`, { description: `The token is read from $${TOKEN_VARIABLE}.` });
  };
  return (
    <Menu defaultOpen>
      <MenuTrigger asChild>{trigger}</MenuTrigger>
      <MenuContent>
        {forms.map(({ label, write }) => (
          <MenuItem key={label} onSelect={() => void copy(label, write)}>
            {label}
          </MenuItem>
        ))}
      </MenuContent>
    </Menu>
  );
}
