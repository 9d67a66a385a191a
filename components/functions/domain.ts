import type { ResourceKind } from '@/components/kit/page/navigation';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { paths } from '@/lib/paths';

export const functions: ResourceKind = {
  label: 'Functions',
  noun: 'function',
  type: 'function',
  icon: kindIcon('square-function'),
  href: paths.functions,
  keywords: ['serverless', 'lambda', 'faas', 'handler', 'python', 'node', 'deno', 'cron', 'webhook'],
  telemetry: { metrics: true },
  create: { label: 'Create function', href: paths.newFunction, operation: 'createFunction' },
  found: { type: 'function', one: (project, id) => paths.function(project, id) },
};
