import { useEffect, useEffectEvent } from 'react';
import { newFirstPassword } from './first-password';

/** Sets a generated initial password in a form, in the browser only: the server would generate a different one. */
export function useFirstPassword(set: (password: string) => void): void {
  const generate = useEffectEvent(() => set(newFirstPassword()));
  useEffect(() => generate(), []);
}
