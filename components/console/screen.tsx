'use client';

import RFB from '@novnc/novnc';
import { useEffect, useRef } from 'react';
import { Button } from '@/components/kit/ui/button';
import { notify } from '@/components/kit/ui/notify';
import { type ConnectionState, connect } from './connection';
import { keysOf } from './keys';

interface ConsolePartProps {
  instanceId: string;
  onState: (state: ConnectionState) => void;
}

/** The keysym of the left Shift key. */
const SHIFT = 0xffe1;

/**
 * Types what the clipboard holds: a machine without an agent has no clipboard of its own, only a keyboard. Browsers let
 * pages read it in secure contexts alone, and ask the reader first.
 */
async function pasteInto(screen: RFB | null): Promise<void> {
  const text = await navigator.clipboard?.readText().catch(() => undefined);
  if (!screen || text === undefined) {
    void notify('warning', 'The clipboard could not be read', {
      description: 'Allow clipboard access in the browser, or paste into the serial terminal.',
    });
    return;
  }
  for (const { keysym, code, shift } of keysOf(text)) {
    if (shift) screen.sendKey(SHIFT, 'ShiftLeft', true);
    screen.sendKey(keysym, code);
    if (shift) screen.sendKey(SHIFT, 'ShiftLeft', false);
  }
  screen.focus();
}

/** The machine's screen, with keyboard and mouse (noVNC). */
export function Screen({ instanceId, onState }: ConsolePartProps) {
  const target = useRef<HTMLDivElement>(null);
  const screen = useRef<RFB>(null);

  useEffect(() => {
    const element = target.current;
    if (!element) return;
    let left = false;
    const socket = connect(instanceId, 'vnc', (state) => left || onState(state));
    const rfb = new RFB(element, socket);
    rfb.scaleViewport = true;
    rfb.showDotCursor = true;
    rfb.background = 'transparent';
    rfb.addEventListener('connect', () => rfb.focus());
    screen.current = rfb;
    return () => {
      left = true;
      screen.current = null;
      rfb.disconnect();
    };
  }, [instanceId, onState]);

  return (
    <div className="flex h-full flex-col">
      <div className="flex gap-2 px-3 pb-2">
        <Button
          size="sm"
          onClick={() => {
            screen.current?.sendCtrlAltDel();
            screen.current?.focus();
          }}
        >
          Send Ctrl+Alt+Del
        </Button>
        <Button size="sm" onClick={() => void target.current?.requestFullscreen()}>
          Full screen
        </Button>
        <Button size="sm" onClick={() => void pasteInto(screen.current)}>
          Paste clipboard
        </Button>
      </div>
      <div ref={target} className="min-h-0 flex-1 bg-canvas" />
    </div>
  );
}
