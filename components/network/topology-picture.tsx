'use client';

import { clsx } from 'clsx';
import { type RefObject, useEffect, useMemo, useState } from 'react';
import styles from './topology.module.css';
import { layOut, related, type Wire } from './topology-layout';
import { AddressNode, InternetNode, MoreNode, NetworkNode, PortNode, RouterNode } from './topology-nodes';
import type { TopologyData } from './use-topology';

interface TopologyPictureProps {
  data: TopologyData;
  /** What the picture fits into. */
  frame: RefObject<HTMLDivElement | null>;
  /** Whether an instance can be created, which an empty network offers. */
  mayCreate: boolean;
}

/** The project's network as a picture: what is pointed at stands out with its way to the internet. */
export function TopologyPicture({ data, frame, mayCreate }: TopologyPictureProps) {
  const width = useWidth(frame);
  const [pointedAt, setPointedAt] = useState<string>();
  const { topology } = data;
  const layout = useMemo(() => layOut(topology, width), [topology, width]);
  const lit = useMemo(
    () => (pointedAt === undefined ? undefined : related(topology, pointedAt)),
    [topology, pointedAt],
  );
  if (width === 0) return null;

  const node = (id: string) => {
    const box = layout.boxes.get(id);
    return (
      box && {
        box,
        dimmed: lit !== undefined && !lit.has(id),
        lit: lit?.has(id) ?? false,
        onPoint: (on: boolean) => setPointedAt((now) => (on ? id : now === id ? undefined : now)),
      }
    );
  };
  const isLit = ({ ends: [from, to] }: Wire) => lit?.has(from) === true && lit.has(to);
  const cables = layout.wires.filter(({ floating }) => !floating);
  const promises = layout.wires.filter(({ floating }) => floating);
  return (
    // biome-ignore lint/a11y/useSemanticElements: the parts of a picture can't stand in a fieldset
    <svg
      role="group"
      aria-label="Network topology"
      width={layout.width}
      height={layout.height}
      viewBox={`0 0 ${layout.width} ${layout.height}`}
      className={clsx(styles.picture, 'block overflow-visible font-sans')}
    >
      <defs>
        <linearGradient id="topology-sky" x1="0" y1="0" x2="0" y2="1">
          <stop
            offset="0"
            style={{
              stopColor: 'color-mix(in oklab, light-dark(var(--mark-high), var(--mark-low)) 46%, var(--surface))',
            }}
          />
          <stop
            offset="1"
            style={{
              stopColor: 'color-mix(in oklab, light-dark(var(--mark-high), var(--mark-low)) 9%, var(--surface))',
            }}
          />
        </linearGradient>
        <linearGradient id="topology-wire" x1="0" y1="0" x2="1" y2="0">
          <stop offset="0" style={{ stopColor: 'var(--accent)' }} />
          <stop offset="1" style={{ stopColor: 'color-mix(in oklab, var(--mark-high) 35%, var(--surface))' }} />
        </linearGradient>
      </defs>
      <g fill="none">
        {cables.map((wire) => (
          <g key={wire.key} className={clsx('transition-opacity', lit && !isLit(wire) && 'opacity-25')}>
            <path d={wire.d} strokeWidth={2} className="stroke-accent/35" />
            <path d={wire.d} strokeWidth={3.5} className={clsx('stroke-accent', styles.flow)} />
          </g>
        ))}
        {lit === undefined &&
          promises.map(({ key, d }) => (
            <path
              key={key}
              d={d}
              strokeWidth={1.5}
              strokeDasharray="1 5"
              strokeLinecap="round"
              className="stroke-accent/60"
            />
          ))}
      </g>
      <InternetNode box={layout.internet} narrow={layout.narrow} />
      {topology.addresses.map(({ id }) => {
        const shown = node(id);
        const floatingIp = data.floatingIps.get(id);
        return shown && floatingIp && <AddressNode key={id} {...shown} floatingIp={floatingIp} />;
      })}
      {topology.routers.map(({ id, networks }) => {
        const shown = node(id);
        const router = data.routers.get(id);
        return (
          <g key={id}>
            {shown && router && <RouterNode {...shown} router={router} />}
            {networks.map(({ id: networkId, ports, more }) => {
              const frameOf = node(networkId);
              const network = data.networks.get(networkId);
              const rest = node(`more:${networkId}`);
              return (
                <g key={networkId}>
                  {frameOf && network && <NetworkNode {...frameOf} network={network} narrow={layout.narrow} />}
                  {ports.map(({ id: portId }) => {
                    const tile = node(portId);
                    const port = data.ports.get(portId);
                    if (!tile || !port) return null;
                    const instance = data.instances.get(port.instance_id ?? '');
                    return <PortNode key={portId} {...tile} port={port} status={instance?.status ?? port.status} />;
                  })}
                  {rest && network && <MoreNode {...rest} network={network} more={more} mayCreate={mayCreate} />}
                </g>
              );
            })}
          </g>
        );
      })}
      <g fill="none" className="pointer-events-none">
        {promises.filter(isLit).map(({ key, d }) => (
          <path key={key} d={d} strokeWidth={2} strokeLinecap="round" className={clsx('stroke-accent', styles.flow)} />
        ))}
      </g>
    </svg>
  );
}

/** The width of an element, in px, as it changes; 0 before it is known. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
