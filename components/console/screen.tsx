'use client';

import RFB from '@novnc/novnc';
import { useEffect, useRef } from 'react';
import { Button } from '@/components/ui/button';
import { type ConnectionState, connect } from './connection';

interface ConsolePartProps {
  instanceId: string;
  onState: (state: ConnectionState) => void;
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
      </div>
      <div ref={target} className="min-h-0 flex-1 bg-canvas" />
    </div>
  );
}
