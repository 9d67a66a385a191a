import type { ServiceSpec } from '@/lib/hosts/services/engine';
import type { SemanticsSubject } from '../../contract/semantics/services';
import { type ServiceSubject, shellService } from '../../contract/service-subject';
import type { Host } from '../host';
import { removeRecord } from '../record';
import { serviceFile } from './service-record';

/** Writes what comes through a pipe; a first argument is the command that makes it ready. */
const echoing = 'trap : HUP; mkfifo /run/service/say; while true; do cat /run/service/say; done';

/** What the suite of semantics needs, of shells in sandboxes. */
export function shellServers(host: Host, subject: ServiceSubject): SemanticsSubject {
  const shell = (script: string, ready: string): ServiceSpec =>
    shellService(subject, script, {
      health: { kind: 'command', argv: [...subject.shell.argv, ready] },
      reload: { kind: 'signal', signal: 'SIGHUP' },
      stopSeconds: 0.2,
    });
  const inside = async (id: string, script: string) => {
    const { code, stderr } = await subject.services.runInside(id, [...subject.shell.argv, script]);
    if (code !== 0) throw new Error(stderr);
  };
  return {
    services: subject.services,
    restarted: subject.restarted,
    server: () => shell(echoing, 'test -p /run/service/say'),
    slowServer: () => shell(echoing, 'test -e /run/service/ready'),
    makeReady: (id) => inside(id, 'touch /run/service/ready'),
    task: () => ({ ...shell('exit 0', 'true'), restart: 'never' }),
    say: (id, line) => inside(id, `echo ${line} > /run/service/say`),
    kill: async (id) => subject.kill(id),
    forget: (id) => removeRecord(serviceFile(host, id)),
    leftovers: subject.leftovers,
  };
}
