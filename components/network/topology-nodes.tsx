'use client';

import { clsx } from 'clsx';
import { Globe, Network as NetworkIcon, Plus, Router as RouterIcon } from 'lucide-react';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { statusLook } from '@/components/kit/data/statuses';
import type { Tone } from '@/components/kit/ui/badge';
import { useLoadBalancerOfPort } from '@/components/loadbalancing/load-balancer-of-port';
import { useProject } from '@/lib/client/project';
import { formatNumber } from '@/lib/format/number';
import { formatCount } from '@/lib/format/quantity';
import { paths } from '@/lib/paths';
import { holderOf } from './port-holder';
import styles from './topology.module.css';
import { type Box, HEADER } from './topology-layout';
import type { FloatingIp, Network, Port, Router } from './types';

/** What every thing in the picture has: its place, and whether it is looked at now. */
interface Shown {
  box: Box;
  dimmed: boolean;
  lit: boolean;
  onPoint: (on: boolean) => void;
}

const inkOf: Record<Tone, string> = {
  neutral: 'text-ink-subtle',
  accent: 'text-accent',
  positive: 'text-positive-ink',
  moving: 'text-moving-ink',
  caution: 'text-caution-ink',
  critical: 'text-critical-ink',
};

/** Inter's usual width, by which names are cut: an SVG has no ellipsis of its own. */
const CHARACTER = 0.56;
/** Exact: the width of a monospaced one. */
const MONO_CHARACTER = 0.6;

function cut(text: string, width: number, size: number): string {
  const most = Math.max(3, Math.floor(width / (size * CHARACTER)));
  return text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`;
}

interface NodeLinkProps extends Shown {
  href: string;
  /** What it is, in words. */
  name: string;
  /** The outline of the thing, for the ring of the keyboard. */
  radius: number;
  children: ReactNode;
}

function NodeLink({ box, dimmed, onPoint, href, name, radius, children }: NodeLinkProps) {
  return (
    <Link
      href={href}
      prefetch={false}
      aria-label={name}
      className={clsx('group/node outline-none transition-opacity duration-150', dimmed && 'opacity-40')}
      onPointerEnter={({ pointerType }) => pointerType === 'touch' || onPoint(true)}
      onPointerLeave={() => onPoint(false)}
      onFocus={(event) => event.currentTarget.matches(':focus-visible') && onPoint(true)}
      onBlur={() => onPoint(false)}
    >
      <title>{name}</title>
      <g transform={`translate(${box.x} ${box.y})`}>
        {children}
        <rect
          x={-3}
          y={-3}
          width={box.width + 6}
          height={box.height + 6}
          rx={radius + 3}
          fill="none"
          strokeWidth={2}
          className="stroke-transparent group-focus-visible/node:stroke-focus"
        />
      </g>
    </Link>
  );
}

/** The sky: where everything from outside comes from. */
export function InternetNode({ box: { width, height }, narrow }: { box: Box; narrow: boolean }) {
  const middle = narrow ? 34 : width / 2;
  return (
    <g>
      <clipPath id="topology-sky-edge">
        <rect width={width} height={height} rx={16} />
      </clipPath>
      <g clipPath="url(#topology-sky-edge)">
        <rect
          x={0.5}
          y={0.5}
          width={width - 1}
          height={height - 1}
          rx={16}
          fill="url(#topology-sky)"
          className="stroke-line"
        />
        <g
          className={styles.drift}
          fill="light-dark(var(--surface), color-mix(in oklab, var(--mark-high) 45%, var(--surface)))"
        >
          <Cloud x={width - (narrow ? 118 : 70)} y={narrow ? 16 : 12} scale={narrow ? 1.1 : 0.8} opacity={0.55} />
          <Cloud x={narrow ? width * 0.48 : -22} y={narrow ? 34 : 40} scale={0.7} opacity={0.4} />
          {!narrow && <Cloud x={width - 78} y={height - 62} scale={1.1} opacity={0.5} />}
        </g>
      </g>
      <Globe
        x={narrow ? 16 : middle - 14}
        y={narrow ? 17 : 20}
        width={28}
        height={28}
        strokeWidth={1.5}
        className="text-accent"
      />
      <text
        x={narrow ? 54 : middle}
        y={narrow ? 36 : 70}
        textAnchor={narrow ? 'start' : 'middle'}
        className="fill-ink font-semibold text-base"
      >
        Internet
      </text>
    </g>
  );
}

function Cloud({ x, y, scale, opacity }: { x: number; y: number; scale: number; opacity: number }) {
  return (
    <path
      transform={`translate(${x} ${y}) scale(${scale})`}
      opacity={opacity}
      d="M18 40a14 14 0 0 1-1-28 20 20 0 0 1 38-3 13 13 0 0 1 17 12 10 10 0 0 1-2 19Z"
    />
  );
}

/** A public address; dashed while it leads nowhere. */
export function AddressNode({ floatingIp, ...shown }: Shown & { floatingIp: FloatingIp }) {
  const { project } = useProject();
  const { address, port_id, instance_name, fixed_ip } = floatingIp;
  const { width, height } = shown.box;
  const used = port_id !== null;
  return (
    <NodeLink
      {...shown}
      href={paths.floatingIps(project.slug, { search: address })}
      name={`Floating IP ${address}, ${used ? `associated with ${instance_name ?? fixed_ip}` : 'not associated'}`}
      radius={height / 2}
    >
      <rect
        x={0.5}
        y={0.5}
        width={width - 1}
        height={height - 1}
        rx={height / 2}
        strokeDasharray={used ? undefined : '3 3'}
        className={clsx('fill-surface', used ? 'stroke-accent' : 'stroke-line-strong')}
      />
      <circle cx={14} cy={height / 2} r={3.5} className={used ? 'fill-accent' : 'fill-line-strong'} />
      <text
        x={24}
        y={height / 2 + 4}
        className={clsx('font-mono', used ? 'fill-ink' : 'fill-ink-muted')}
        style={{ fontSize: Math.min(11.5, (width - 34) / (address.length * MONO_CHARACTER)) }}
      >
        {address}
      </text>
    </NodeLink>
  );
}

/** The way between inside and outside. */
export function RouterNode({ router, ...shown }: Shown & { router: Router }) {
  const { project } = useProject();
  const { name, external_ip, status } = router;
  const { width, height } = shown.box;
  const flat = height < 80;
  const left = flat ? 54 : width / 2;
  return (
    <NodeLink
      {...shown}
      href={paths.router(project.slug, router.id)}
      name={`Router ${name}, ${status}${external_ip ? `, external IP ${external_ip}` : ''}`}
      radius={16}
    >
      <rect width={width} height={height} rx={16} className="fill-accent" />
      <rect
        x={1.5}
        y={1.5}
        width={width - 3}
        height={height - 3}
        rx={14.5}
        fill="none"
        className="stroke-accent-ink/25"
      />
      <g className={clsx('text-accent-ink', status === 'updating' && ['animate-pulse', styles.turn])}>
        <RouterIcon x={flat ? 16 : width / 2 - 13} y={flat ? 19 : 13} width={26} height={26} strokeWidth={1.75} />
      </g>
      <text
        x={left}
        y={flat ? 29 : 58}
        textAnchor={flat ? 'start' : 'middle'}
        className="fill-accent-ink font-semibold text-sm"
      >
        {cut(`Router ${name}`, width - (flat ? 66 : 20), 13)}
      </text>
      <text
        x={left}
        y={flat ? 46 : 76}
        textAnchor={flat ? 'start' : 'middle'}
        className="fill-accent-ink font-mono"
        style={{ fontSize: 11 }}
      >
        {external_ip ?? 'not assigned yet'}
      </text>
    </NodeLink>
  );
}

/** A network: a frame around what is on it, with the wire that all of it hangs on. */
export function NetworkNode({ network, narrow, ...shown }: Shown & { network: Network; narrow: boolean }) {
  const { project } = useProject();
  const { name, cidr, gateway_ip, port_count, address_count, dhcp_enabled, status } = network;
  const { box, dimmed, lit } = shown;
  const { width, height } = box;
  const cidrWidth = cidr.length * 11.5 * MONO_CHARACTER;
  const room = width - 44 - 14 - (narrow ? 0 : 110);
  const label = cut(name, room - cidrWidth - 12, 14);
  const use = `${formatNumber(port_count)} of ${formatNumber(address_count)}`;
  return (
    <g className={clsx('transition-opacity duration-150', dimmed && 'opacity-40')}>
      <rect
        x={box.x + 0.5}
        y={box.y + 0.5}
        width={width - 1}
        height={height - 1}
        rx={14}
        className={clsx('fill-surface', lit ? 'stroke-accent/70' : 'stroke-line')}
      />
      {!narrow && (
        <text
          x={box.x - 10}
          y={box.y + HEADER - 7}
          textAnchor="end"
          className="fill-ink-muted font-mono"
          style={{ fontSize: 10.5 }}
        >
          {gateway_ip}
        </text>
      )}
      <line
        x1={box.x}
        y1={box.y + HEADER}
        x2={box.x + width - 14}
        // A gradient has no height on a line that lies flat.
        y2={box.y + HEADER + 0.01}
        strokeWidth={4}
        strokeLinecap="round"
        stroke="url(#topology-wire)"
      />
      <circle cx={box.x} cy={box.y + HEADER} r={5} strokeWidth={2.5} className="fill-surface stroke-accent" />
      <NodeLink
        {...shown}
        dimmed={false}
        box={{ ...box, height: HEADER - 6 }}
        href={paths.network(project.slug, network.id)}
        name={`Network ${name}, ${cidr}, ${status}, gateway ${gateway_ip}, ${use} addresses in use${dhcp_enabled ? '' : ', without DHCP'}`}
        radius={12}
      >
        <rect width={width} height={HEADER - 6} rx={12} fill="transparent" />
        <g className={status === 'updating' ? 'animate-pulse text-moving-ink' : 'text-ink-subtle'}>
          <NetworkIcon x={16} y={14} width={17} height={17} />
        </g>
        <text x={42} y={28} className="fill-ink font-semibold text-base group-hover/node:underline">
          {label}
          <tspan dx={10} className="fill-ink-muted font-mono font-normal" style={{ fontSize: 11.5 }}>
            {cidr}
          </tspan>
        </text>
        {!narrow && (
          <text x={width - 16} y={27.5} textAnchor="end" className="fill-ink-muted text-xs tabular-nums">
            {dhcp_enabled ? '' : 'no DHCP · '}
            {use}
          </text>
        )}
      </NodeLink>
    </g>
  );
}

function hrefOf(project: string, { id, instance_id }: Port, balancer: { id: string } | undefined): string {
  if (instance_id !== null) return paths.instance(project, instance_id);
  return balancer ? paths.loadBalancer(project, balancer.id) : paths.port(project, id);
}

const kindOf = (port: Port, balancer: { name: string } | undefined): string =>
  balancer ? `Load balancer ${balancer.name}` : holderOf(port);

interface PortNodeProps extends Shown {
  port: Port;
  status: string;
}

/** An instance on its network, with its state, its address, and a flag where it has a public one. */
export function PortNode({ port, status, ...shown }: PortNodeProps) {
  const { project } = useProject();
  const { instance_name, ip, floating_ip, network_name } = port;
  const { width, height } = shown.box;
  const { tone, icon: Icon, moving, label } = statusLook(status);
  const balancer = useLoadBalancerOfPort()(port.id);
  const title = instance_name ?? balancer?.name ?? port.attached_to.name;
  return (
    <NodeLink
      {...shown}
      href={hrefOf(project.slug, port, balancer)}
      name={`${kindOf(port, balancer)}, ${label.toLowerCase()}, ${ip} on ${network_name}${floating_ip ? `, floating IP ${floating_ip}` : ''}`}
      radius={9}
    >
      <line x1={22} y1={-14} x2={22} y2={0} strokeWidth={1.5} className="stroke-line" />
      <rect
        x={0.5}
        y={0.5}
        width={width - 1}
        height={height - 1}
        rx={9}
        className={clsx(
          'fill-canvas transition-colors group-hover/node:stroke-accent',
          shown.lit || floating_ip !== null ? 'stroke-accent/70' : 'stroke-line',
        )}
      />
      <g className={clsx(inkOf[tone], moving && [styles.turn, 'animate-spin [animation-duration:2s]'])}>
        <Icon x={12} y={8.5} width={15} height={15} />
      </g>
      <text x={34} y={20.5} className="fill-ink font-medium text-sm">
        {cut(title, width - 34 - 10, 13)}
      </text>
      <text x={34} y={37.5} className="fill-ink-muted font-mono" style={{ fontSize: 11 }}>
        {ip}
      </text>
      {floating_ip !== null && (
        <g className="text-accent">
          <Globe x={width - 24} y={28} width={13} height={13} />
        </g>
      )}
    </NodeLink>
  );
}

interface MoreNodeProps extends Shown {
  network: Network;
  more: number;
  mayCreate: boolean;
}

/** What a network has beyond what is shown; or nothing at all, and the way to the first. */
export function MoreNode({ network, more, mayCreate, ...shown }: MoreNodeProps) {
  const { project } = useProject();
  const { width, height } = shown.box;
  const empty = more === 0;
  const text = empty ? (mayCreate ? 'Create instance' : 'No instances yet') : `${formatCount(more, 'more port')}`;
  return (
    <NodeLink
      {...shown}
      href={empty && mayCreate ? paths.newInstance(project.slug) : paths.network(project.slug, network.id)}
      name={
        empty
          ? `No instances on network ${network.name}. ${mayCreate ? 'Create instance' : ''}`
          : `${text} on ${network.name}`
      }
      radius={9}
    >
      <rect
        x={0.5}
        y={0.5}
        width={width - 1}
        height={height - 1}
        rx={9}
        strokeDasharray="4 4"
        className="fill-transparent stroke-line-strong/70 group-hover/node:stroke-accent"
      />
      {empty && mayCreate && (
        <g className="text-ink-muted">
          <Plus x={13} y={16.5} width={15} height={15} />
        </g>
      )}
      <text x={empty && mayCreate ? 36 : 16} y={28.5} className="fill-ink-muted text-sm">
        {text}
      </text>
    </NodeLink>
  );
}
