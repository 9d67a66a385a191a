'use client';

import { type ComponentType, type ReactElement, useState } from 'react';
import { Slot } from './slot';

interface Opened {
  /** What opens it. It takes this element over, and opens at once. */
  trigger: ReactElement<Record<string, unknown>>;
}

/**
 * Something that opens from a button (a menu, a popover) and is loaded when someone reaches for that button: pages
 * stay light, and by the time of the press the code is there.
 */
export function deferred<Props extends object>(
  popup: 'menu' | 'dialog' | 'listbox',
  load: () => Promise<ComponentType<Props & Opened>>,
): ComponentType<Props & Opened> {
  return function Deferred(props) {
    // The setter would call a function: components are kept in a box.
    const [loaded, setLoaded] = useState<{ Popup: ComponentType<Props & Opened> }>();
    if (loaded) return <loaded.Popup {...props} />;
    const open = () => load().then((Popup) => setLoaded({ Popup }), outOfReach);
    const prepare = () => void load().catch(outOfReach);
    return (
      <Slot
        aria-haspopup={popup}
        aria-expanded="false"
        onPointerEnter={prepare}
        onFocus={prepare}
        onClick={open}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          void open();
        }}
      >
        {props.trigger}
      </Slot>
    );
  };
}

/** Without a server nothing opens; the notice of the lost connection says why, and the next press tries again. */
function outOfReach(): void {}
