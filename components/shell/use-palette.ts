'use client';

import { useEffect, useMemo, useRef, useState } from 'react';

export interface Palette {
  /** `never` until it is first opened: its code is loaded then. */
  state: 'never' | 'open' | 'closed';
  text: string;
  setText: (text: string) => void;
  setOpen: (open: boolean) => void;
}

/**
 * The state of the command palette. While it is open and its field does not have the focus yet, because its code is
 * loading, keys are collected here: no keystroke after Ctrl-K is lost, and none reaches the page.
 */
export function usePalette(): Palette {
  const [state, setState] = useState<Palette['state']>('never');
  const [text, setText] = useState('');
  // Keys arrive faster than React renders.
  const collecting = useRef(false);
  const setOpen = useMemo(
    () => (open: boolean) => {
      collecting.current = open;
      if (open) setText('');
      setState(open ? 'open' : 'closed');
    },
    [],
  );

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isPaletteKey(event)) {
        event.preventDefault();
        setOpen(!collecting.current);
        return;
      }
      const { key, target } = event;
      if (!collecting.current || (target instanceof Element && target.closest('[cmdk-root]'))) return;
      if (key === 'Escape') setOpen(false);
      else if (key === 'Backspace') setText((before) => before.slice(0, -1));
      else if (isCharacter(event)) setText((before) => before + key);
      else if (key !== 'Enter') return;
      event.preventDefault();
      event.stopPropagation();
    };
    // Whoever presses something else does not wait for the palette any more.
    const onPointer = ({ target }: Event) => {
      if (target instanceof Element && !target.closest('[role=dialog]')) collecting.current = false;
    };
    document.addEventListener('keydown', onKey, true);
    document.addEventListener('pointerdown', onPointer, true);
    return () => {
      document.removeEventListener('keydown', onKey, true);
      document.removeEventListener('pointerdown', onPointer, true);
    };
  }, [setOpen]);

  return { state, text, setText, setOpen };
}

function isPaletteKey({ key, metaKey, ctrlKey, shiftKey, altKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && (metaKey || ctrlKey) && !shiftKey && !altKey;
}

/** AltGr types characters, and counts as Ctrl and Alt on Windows. */
function isCharacter(event: KeyboardEvent): boolean {
  const command = event.ctrlKey || event.metaKey || event.altKey;
  return event.key.length === 1 && (!command || event.getModifierState('AltGraph'));
}
