'use client';

import { Moon, Sun } from 'lucide-react';
import { Button } from '@/components/kit/ui/button';
import { Tooltip } from '@/components/kit/ui/tooltip';
import { setTheme } from '@/components/shell/theme';

/** Switches between the two themes; the first press leaves the system's. */
export function ThemeSwitch() {
  const toggle = () => {
    const dark = getComputedStyle(document.documentElement).colorScheme === 'dark';
    const systemDark = window.matchMedia('(prefers-color-scheme: dark)').matches;
    const chosen = document.documentElement.dataset.theme !== undefined;
    setTheme((chosen ? dark : systemDark) ? 'light' : 'dark');
  };
  return (
    <Tooltip text="Light or dark">
      <Button variant="quiet" size="icon" aria-label="Switch theme" onClick={toggle}>
        <Sun className="hidden [:root[data-theme=dark]_&]:block" />
        <Moon className="[:root[data-theme=dark]_&]:hidden" />
      </Button>
    </Tooltip>
  );
}
