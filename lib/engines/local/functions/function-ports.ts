import type { ServicePort } from '@/lib/hosts/services/engine';
import { log } from '@/lib/log';
import { type Host, shortHash } from '../host';
import { edgeNamespace } from '../network/names';
import { namedNamespaces, namespaceCommand } from '../network/namespaces';
import { ensureCableOf, removeCableOf } from '../services/cable';
import { Turns } from '../turns';

/** Neither the network engine's prefix nor that of services, which each remove what they do not know. */
const prefixOf = (host: Host) => `fn-${edgeNamespace(host)}-`;

/** The network namespaces of functions on tenant networks: one a port, there for as long as an instance lives in it. */
export class FunctionPorts {
  private readonly users = new Map<string, number>();
  private readonly turns = new Turns();

  constructor(private readonly host: Host) {}

  /**
   * Makes sure of a port's namespace for one more instance.
   * @returns prefix of a command that runs in it
   * @throws EngineError `NOT_FOUND` while this host does not have the network
   */
  async enter(port: ServicePort): Promise<string[]> {
    const name = this.namespace(port.id);
    this.users.set(port.id, (this.users.get(port.id) ?? 0) + 1);
    try {
      await this.turns.take(port.id, () => ensureCableOf(this.host, name, port));
      return await namespaceCommand(this.host, name);
    } catch (error) {
      await this.leave(port.id);
      throw error;
    }
  }

  /** One instance less; the last one takes the namespace with it. */
  async leave(portId: string): Promise<void> {
    const left = (this.users.get(portId) ?? 0) - 1;
    if (left > 0) {
      this.users.set(portId, left);
      return;
    }
    this.users.delete(portId);
    await this.turns.take(portId, async () => {
      // Another instance may have come meanwhile.
      if (this.users.has(portId)) return;
      await removeCableOf(this.host, this.namespace(portId)).catch((error) =>
        log.warn(
          { err: error, port: portId },
          'the network of a function could not be removed; the next start tries again',
        ),
      );
    });
  }

  /** Removes what an earlier process of ours left: its instances have ended with it. */
  async sweep(): Promise<void> {
    const used = new Set([...this.users.keys()].map((id) => this.namespace(id)));
    const present = await namedNamespaces(this.host, (name) => name.startsWith(prefixOf(this.host)));
    for (const name of present) if (!used.has(name)) await removeCableOf(this.host, name);
  }

  private namespace(portId: string): string {
    return `${prefixOf(this.host)}${shortHash(portId, 12)}`;
  }
}
