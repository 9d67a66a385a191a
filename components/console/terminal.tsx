'use client';

import { FitAddon } from '@xterm/addon-fit';
import { Terminal as Xterm } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { useEffect, useRef } from 'react';
import { type ConnectionState, connect } from './connection';

/** The server takes short messages alone; a paste can be of any length. */
const MESSAGE_BYTES = 16 * 1024;

function partsOf(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] {
  const count = Math.ceil(bytes.length / MESSAGE_BYTES);
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * MESSAGE_BYTES, (i + 1) * MESSAGE_BYTES));
}

interface ConsolePartProps {
  instanceId: string;
  onState: (state: ConnectionState) => void;
}

/** The machine's serial port as a terminal (xterm.js): text to copy, and what was written before. */
export function Terminal({ instanceId, onState }: ConsolePartProps) {
  const target = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const element = target.current;
    if (!element) return;
    const { backgroundColor, color } = getComputedStyle(element);
    const terminal = new Xterm({
      cursorBlink: true,
      fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
      fontSize: 13,
      scrollback: 10_000,
      screenReaderMode: true,
      theme: { background: backgroundColor, foreground: color, cursor: color },
    });
    const fit = new FitAddon();
    terminal.loadAddon(fit);
    terminal.open(element);
    terminal.focus();

    let left = false;
    const socket = connect(instanceId, 'serial', (state) => left || onState(state));
    const encoder = new TextEncoder();
    // The terminal answers questions that earlier output holds; a socket that is not open takes none.
    terminal.onData((text) => {
      if (socket.readyState === WebSocket.OPEN) for (const part of partsOf(encoder.encode(text))) socket.send(part);
    });
    socket.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer | string>) =>
      terminal.write(typeof data === 'string' ? data : new Uint8Array(data)),
    );
    // While its tab is hidden it has no size to fit.
    const observer = new ResizeObserver(() => element.offsetWidth > 0 && fit.fit());
    observer.observe(element);
    return () => {
      left = true;
      observer.disconnect();
      socket.close();
      terminal.dispose();
    };
  }, [instanceId, onState]);

  return <div ref={target} className="h-full overflow-hidden bg-canvas px-3 text-ink" />;
}
