import { serviceSemantics } from '@/lib/engines/contract/semantics/services';
import type { ServiceSpec } from '@/lib/hosts/services/engine';
import { MemoryServices } from './memory-services';
import { serverSpec } from './service-spec';

const { program } = serverSpec();

const spec = (change: Partial<ServiceSpec> = {}) =>
  serverSpec({ reload: { kind: 'signal', signal: 'SIGHUP' }, ...change });

serviceSemantics('in memory', async () => {
  const remembered: ConstructorParameters<typeof MemoryServices>[0] = new Map();
  const open = () => new MemoryServices(remembered, ({ name }) => name === program.name);
  const services = open();
  const tasks = new Set<string>();
  const ensure = services.ensureService.bind(services);
  services.ensureService = async (given) => {
    const answer = await ensure(given);
    // Nothing really runs here, so services never end on their own.
    if (tasks.delete(given.id)) services.end(given.id, { code: 0 });
    return answer;
  };
  return {
    services,
    restarted: open,
    server: () => spec(),
    slowServer: () => {
      const made = spec();
      services.unready.add(made.id);
      return made;
    },
    makeReady: async (id) => void services.unready.delete(id),
    task: () => {
      const made = spec({ restart: 'never' });
      tasks.add(made.id);
      return made;
    },
    say: async (id, line) => services.say(id, line),
    kill: async (id) => services.end(id, { signal: 'SIGKILL' }),
    forget: async (id) => services.forget(id),
    leftovers: async () => [...remembered.keys()],
  };
});
