import { prisma } from '@/lib/core/db/prisma';
import { ensureProjectNetworking } from '@/lib/domains/network/project-networking';
import { created, type DomainTesting, member } from '../fixture';
import { createCell } from '../hosts';
import { instance } from './compute';

export const networkTesting: DomainTesting = {
  fixtures: {
    '/network/networks/{id}': async (project, call) =>
      created(member(project, call, '/network/networks', { name: 'fixture', cidr: '10.99.0.0/24' })),
    '/network/routers/{id}': async (project) => {
      await ensureProjectNetworking(project.id);
      const { id } = await prisma().router.findFirstOrThrow({ where: { project_id: project.id } });
      return { id };
    },
    '/network/ports/{id}': async (project, call) => {
      const { id: instance_id = '' } = await instance(project, call);
      const { id } = await prisma().port.findFirstOrThrow({ where: { device_id: instance_id } });
      return { id };
    },
    '/network/security-groups/rules/{rule_id}': async (project, call) => {
      const group = await created(member(project, call, '/network/security-groups', { name: 'fixture' }));
      const rule = { direction: 'ingress', protocol: 'icmp', cidr: '0.0.0.0/0' };
      const { id } = await created(member(project, call, `/network/security-groups/${group.id}/rules`, rule));
      return { rule_id: id ?? '' };
    },
    '/network/security-groups/{id}': (project, call) =>
      created(member(project, call, '/network/security-groups', { name: 'fixture' })),
    '/network/floating-ips/{id}': async (project, call) => {
      await createCell();
      return created(member(project, call, '/network/floating-ips', {}));
    },
  },
};
