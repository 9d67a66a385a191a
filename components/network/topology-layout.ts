/** What the picture shows, read from several lists. */
export interface Topology {
  routers: readonly { id: string; name: string; networks: readonly TopologyNetwork[] }[];
  /** The project's public addresses; with the port that each leads to. */
  addresses: readonly { id: string; address: string; portId: string | null }[];
}

interface TopologyNetwork {
  id: string;
  /** As many of its ports as are shown; `more` are not. */
  ports: readonly { id: string }[];
  more: number;
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A line between two things of the picture. */
export interface Wire {
  key: string;
  ends: readonly [string, string];
  d: string;
  /** A floating IP's way, which is no wire but a promise. */
  floating: boolean;
}

export interface TopologyLayout {
  width: number;
  height: number;
  /** One below the other, as on a phone. */
  narrow: boolean;
  internet: Box;
  /** By the id of what stands there; `more:ID` for what a network has beyond. */
  boxes: ReadonlyMap<string, Box>;
  wires: readonly Wire[];
}

export const INTERNET = 'internet';
/** From the top of a network to the wire that its ports hang on. */
export const HEADER = 46;
/** Below this width things stand one below the other. */
const NARROW = 760;

const GAP = 14;
const INSET = 14;
const TILE = { least: 144, height: 48 };
const ROW = TILE.height + GAP;
const PILL = { height: 28, gap: 8 };
const SKY = { width: 156, top: 92 };
const ROUTER = { width: 148, height: 92 };
const TO_ROUTER = 44;
/** Room for the gateway's address beside the wire. */
const TO_NETWORK = 130;
const BETWEEN = 18;
const BEND = 12;

/** Places everything for a width in px. The same things at the same width always stand at the same places. */
export function layOut(topology: Topology, width: number): TopologyLayout {
  return width < NARROW ? layOutNarrow(topology, width) : layOutWide(topology, width);
}

/** From the left: the internet, the router, its networks one below the other with their ports inside. */
function layOutWide({ routers, addresses }: Topology, width: number): TopologyLayout {
  const boxes = new Map<string, Box>();
  const wires: Wire[] = [];
  const routerX = SKY.width + TO_ROUTER;
  const laneX = routerX + ROUTER.width + TO_NETWORK;
  let y = 0;
  for (const router of routers) {
    const top = y;
    for (const network of router.networks) {
      y += placeNetwork(network, { x: laneX, y, width: width - laneX }, boxes) + BETWEEN;
    }
    const height = Math.max(y - top - BETWEEN, ROUTER.height);
    y = Math.max(y, top + ROUTER.height + BETWEEN);
    // In sight from the top, also beside a hundred ports.
    const routerY = top + Math.min((height - ROUTER.height) / 2, 180);
    boxes.set(router.id, { x: routerX, y: routerY, width: ROUTER.width, height: ROUTER.height });
  }
  const height = Math.max(y - BETWEEN, SKY.top + addresses.length * (PILL.height + PILL.gap) + INSET, 320);
  const internet = { x: 0, y: 0, width: SKY.width, height };
  addresses.forEach(({ id }, position) => {
    const pillY = SKY.top + position * (PILL.height + PILL.gap);
    boxes.set(id, { x: 12, y: pillY, width: SKY.width - 24, height: PILL.height });
  });

  for (const router of routers) {
    const box = at(boxes, router.id);
    const middle = box.y + box.height / 2;
    wires.push(wire(INTERNET, router.id, `M${SKY.width} ${middle}H${box.x}`));
    const from = box.x + box.width;
    const turn = from + 22;
    for (const { id } of router.networks) {
      const lane = at(boxes, id);
      wires.push(wire(router.id, id, elbow(from, middle, turn, lane.y + HEADER, lane.x)));
    }
  }
  for (const { id, portId } of addresses) {
    const tile = portId === null ? undefined : boxes.get(portId);
    if (portId !== null && tile) wires.push(arc(id, portId, at(boxes, id), tile));
  }
  return { width, height, narrow: false, internet, boxes, wires };
}

/** From the top: the internet, the router, its networks; the wires run down the left edge. */
function layOutNarrow({ routers, addresses }: Topology, width: number): TopologyLayout {
  const boxes = new Map<string, Box>();
  const wires: Wire[] = [];
  const spine = 14;
  const laneX = 30;
  const columns = Math.max(1, Math.floor((width - 24 + PILL.gap) / (132 + PILL.gap)));
  const pillWidth = (width - 24 - (columns - 1) * PILL.gap) / columns;
  addresses.forEach(({ id }, position) => {
    const x = 12 + (position % columns) * (pillWidth + PILL.gap);
    const pillY = 64 + Math.floor(position / columns) * (PILL.height + PILL.gap);
    boxes.set(id, { x, y: pillY, width: pillWidth, height: PILL.height });
  });
  const rows = Math.ceil(addresses.length / columns);
  const internet = { x: 0, y: 0, width, height: rows === 0 ? 72 : 64 + rows * (PILL.height + PILL.gap) + 6 };
  let y = internet.height + 28;
  for (const router of routers) {
    const box = { x: 0, y, width: Math.min(width, 240), height: 64 };
    boxes.set(router.id, box);
    wires.push(wire(INTERNET, router.id, `M${width / 4} ${internet.height}V${y}`));
    y += box.height + 26;
    for (const network of router.networks) {
      const wireY = y + HEADER;
      wires.push(
        wire(
          router.id,
          network.id,
          `M${spine} ${box.y + box.height}V${wireY - BEND}Q${spine} ${wireY} ${spine + BEND} ${wireY}H${laneX}`,
        ),
      );
      y += placeNetwork(network, { x: laneX, y, width: width - laneX }, boxes) + BETWEEN;
    }
  }
  return { width, height: y - BETWEEN, narrow: true, internet, boxes, wires };
}

/** Places a network with its ports in as many columns as there is room for; gives its height. */
function placeNetwork(
  { id, ports, more }: TopologyNetwork,
  { x, y, width }: Omit<Box, 'height'>,
  boxes: Map<string, Box>,
): number {
  const inner = width - 2 * INSET;
  const columns = Math.max(1, Math.floor((inner + GAP) / (TILE.least + GAP)));
  const tile = (inner - (columns - 1) * GAP) / columns;
  const ids = [...ports.map((port) => port.id), ...(more > 0 || ports.length === 0 ? [`more:${id}`] : [])];
  ids.forEach((inside, position) => {
    boxes.set(inside, {
      x: x + INSET + (position % columns) * (tile + GAP),
      y: y + HEADER + GAP + 4 + Math.floor(position / columns) * ROW,
      width: tile,
      height: TILE.height,
    });
  });
  const height = HEADER + 4 + Math.ceil(ids.length / columns) * ROW + GAP;
  boxes.set(id, { x, y, width, height });
  return height;
}

function at(boxes: ReadonlyMap<string, Box>, id: string): Box {
  const box = boxes.get(id);
  if (!box) throw new Error(`nothing is placed for ${id}`);
  return box;
}

function wire(from: string, to: string, d: string): Wire {
  return { key: `${from} ${to}`, ends: [from, to], d, floating: false };
}

/** Right, then up or down round two bends, then right again. */
function elbow(x: number, y: number, turn: number, toY: number, toX: number): string {
  const rise = toY - y;
  const bend = Math.min(BEND, Math.abs(rise) / 2);
  if (bend < 1) return `M${x} ${y}H${toX}`;
  const way = Math.sign(rise) * bend;
  return `M${x} ${y}H${turn - bend}Q${turn} ${y} ${turn} ${y + way}V${toY - way}Q${turn} ${toY} ${turn + bend} ${toY}H${toX}`;
}

function arc(id: string, portId: string, from: Box, to: Box): Wire {
  const [x, y] = [from.x + from.width, from.y + from.height / 2];
  const [toX, toY] = [to.x, to.y + to.height / 2];
  const reach = (toX - x) * 0.45;
  const d = `M${x} ${y}C${x + reach} ${y} ${toX - reach} ${toY} ${toX} ${toY}`;
  return { key: `${id} ${portId}`, ends: [id, portId], d, floating: true };
}

/** What belongs to a thing, with itself: its way to the internet, and what is behind it. */
export function related({ routers, addresses }: Topology, id: string): Set<string> {
  const found = new Set([id, INTERNET]);
  for (const router of routers) {
    for (const network of router.networks) {
      for (const port of [...network.ports, { id: `more:${network.id}` }]) {
        const own = addresses.filter(({ portId }) => portId === port.id).map((address) => address.id);
        const chain = [router.id, network.id, port.id, ...own];
        if (!chain.includes(id)) continue;
        for (const each of chain) found.add(each);
      }
    }
  }
  return found;
}
