'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { CodeDiff } from '@/components/kit/code/code-diff';
import { ChangedMeanwhile } from '@/components/kit/form/changed-meanwhile';
import { useSchemaForm } from '@/components/kit/form/form-shell';
import { notify } from '@/components/kit/ui/notify';
import { useMay } from '@/lib/client/may';
import { replaceLoadBalancer } from '@/lib/client/operations/lbaas';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { type DesiredState, differences, stateText } from './desired-state';
import { LoadBalancerWizard } from './load-balancer-form';
import { type LoadBalancerValues, loadBalancerSchema, replaceBody, valuesOf } from './load-balancer-values';
import { type LoadBalancer, whyNotChange } from './types';

interface EditLoadBalancerProps {
  current: LoadBalancer;
  /** The current state; the form keeps the one that it was opened with. */
  state: DesiredState;
}

/** The form of an existing load balancer. It sends the whole state, so changes of others are shown first. */
export function EditLoadBalancer({ current, state }: EditLoadBalancerProps) {
  const { project, api } = useProject();
  const router = useRouter();
  const may = useMay('replaceLoadBalancer');
  const replace = api.useMutation('put', '/api/v1/lbaas/loadbalancers/{id}');
  const { id } = current;
  const currentValues = valuesOf(current, state);
  const [base, setBase] = useState(currentValues);
  // The reader's own change may arrive before the page has changed.
  const [sent, setSent] = useState(false);
  const form = useSchemaForm<LoadBalancerValues, LoadBalancerValues>(loadBalancerSchema, base);
  const now = replaceBody(currentValues);
  const changes = differences(replaceBody(base), now);
  const outdated = changes.length > 0 && !sent;
  const body = useWatch({ control: form.control, compute: replaceBody });
  const same = stateText(body) === stateText(now);
  const takeOver = () => {
    form.reset(currentValues, { keepDirtyValues: true });
    setBase(currentValues);
  };
  return (
    <div className="space-y-5">
      {outdated && (
        <ChangedMeanwhile what="load balancer" differences={changes} refused={false} onTakeOver={takeOver} />
      )}
      <LoadBalancerWizard
        form={form}
        finishLabel="Apply changes"
        failure="The load balancer could not be changed"
        copy={{ operation: replaceLoadBalancer, id, body: replaceBody }}
        disabledReason={
          may.reason ??
          whyNotChange(current) ??
          (outdated ? 'The load balancer has changed. Load its current state first.' : undefined) ??
          (same ? 'Nothing has changed.' : undefined)
        }
        review={(values) => (
          <CodeDiff
            label={current.name}
            language="json"
            before={stateText(now)}
            after={stateText(replaceBody(values))}
          />
        )}
        onSubmit={async (values) => {
          setSent(true);
          await replace.mutateAsync({ params: { path: { id } }, body: replaceBody(values) }).catch((error: unknown) => {
            setSent(false);
            throw error;
          });
          void notify('success', 'Changes are being applied');
          router.push(paths.loadBalancer(project.slug, id, 'listeners'));
        }}
      />
    </div>
  );
}
