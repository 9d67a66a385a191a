'use client';

import { useRouter } from 'next/navigation';
import { useWatch } from 'react-hook-form';
import { ChoiceField, SelectField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Card } from '@/components/kit/ui/card';
import { notify } from '@/components/kit/ui/notify';
import { useList } from '@/lib/client/list';
import { applyRoute } from '@/lib/client/operations/gateway';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { BackendsField } from './backends-field';
import { RouteImpact } from './route-impact';
import { bodyFrom, type RouteValues, routeSchema } from './route-values';

export type RouteForm = ReturnType<typeof useSchemaForm<RouteValues, RouteValues>>;

interface RouteEditorProps {
  values: RouteValues;
  /** Id of the route that is changed; absent for a new one. */
  id?: string;
  /** Why no route can be served now. */
  unavailable: string | null;
}

/** The form of a route: host and path, backends with their shares, and a rollout. */
export function RouteEditor({ values, id, unavailable }: RouteEditorProps) {
  const { project, api } = useProject();
  const router = useRouter();
  const apply = api.useMutation('post', '/api/v1/gateway/routes');
  const form = useSchemaForm<RouteValues, RouteValues>(routeSchema, values);
  const { control } = form;
  const isNew = id === undefined;
  const certificates = useList('/api/v1/gateway/certificates', { limit: 200, sort: 'name' });
  const prefix = useWatch({ control, name: 'path_prefix' });
  const several = useWatch({ control, name: 'backends', compute: (all: unknown[]) => all.length > 1 });
  return (
    <FormShell
      form={form}
      loading={false}
      error={apply.error}
      failure={isNew ? 'The route could not be created' : 'The route could not be changed'}
      submitLabel={isNew ? 'Create route' : 'Apply changes'}
      operation="applyRoute"
      disabledReason={isNew ? (unavailable ?? undefined) : undefined}
      copy={{ operation: applyRoute, schema: routeSchema, body: bodyFrom }}
      cancel={isNew ? paths.routes(project.slug) : paths.route(project.slug, id)}
      aside={<RouteImpact isNew={isNew} />}
      onSubmit={async (filled) => {
        const route = await apply.mutateAsync({ body: bodyFrom(filled) });
        void notify('success', isNew ? `${route.name} created` : `${route.name} changed`);
        router.push(paths.route(project.slug, route.id));
      }}
    >
      {isNew && <TextField control={control} name="name" label="Name" autoComplete="off" autoFocus />}
      <div className="grid gap-5 sm:grid-cols-[minmax(0,1fr)_12rem]">
        <TextField
          control={control}
          name="host"
          label="Host"
          description="Names below the project’s own domain work at once; others need a TXT record."
          autoComplete="off"
          mono
        />
        <TextField
          control={control}
          name="path_prefix"
          label="Path prefix"
          description="The longest one wins."
          autoComplete="off"
          mono
        />
      </div>
      <BackendsField form={form} />
      <SelectField
        control={control}
        name="tls_certificate_id"
        label="Certificate"
        description="For HTTPS. Without one, browsers warn of the gateway’s own certificate."
        options={[
          { value: '', label: 'None' },
          ...(certificates.data?.rows ?? []).map(({ id: value, name, domains }) => ({
            value,
            label: name,
            description: domains.join(', '),
          })),
        ]}
      />
      <TextField
        control={control}
        name="request_timeout_s"
        label="Request timeout"
        description="A backend that has not responded by then is answered for with 504. 60 seconds if empty."
        inputMode="numeric"
        unit="s"
        width="short"
        optional
      />
      {prefix !== '/' && (
        <ChoiceField
          control={control}
          name="strip_prefix"
          label="Strip the prefix"
          description={`Backends do not see ${prefix}.`}
        />
      )}
      <ChoiceField
        control={control}
        name="sticky"
        label="Sticky sessions"
        description="Sends a browser to the same backend again, by a cookie."
      />
      {several && <RolloutFields form={form} />}
    </FormShell>
  );
}

/** A canary that gets more and more requests, and goes back by itself. */
function RolloutFields({ form }: { form: RouteForm }) {
  const { control } = form;
  const isOn = useWatch({ control, name: 'rollout' });
  const names = useWatch({
    control,
    name: 'backends',
    compute: (all: { name: string }[]) => all.map(({ name }) => name),
  });
  return (
    <Card title="Rollout">
      <div className="space-y-5">
        <ChoiceField
          control={control}
          name="rollout"
          label="Roll out step by step"
          description="Moves requests to one backend in steps, and back by itself when it fails."
        />
        {isOn && (
          <>
            <SelectField
              control={control}
              name="rollout_to"
              label="New backend"
              placeholder="Choose…"
              options={names.map((name) => ({ value: name, label: name }))}
            />
            <TextField
              control={control}
              name="rollout_steps"
              label="Steps"
              description="Percent of the requests in each step."
              unit="%"
            />
            <TextField control={control} name="rollout_interval_s" label="Duration of a step" unit="s" width="short" />
            <TextField
              control={control}
              name="rollout_errors"
              label="Go back above this share of errors"
              description="Responses of class 5xx of the new backend, in one step."
              unit="%"
              width="short"
            />
            <TextField
              control={control}
              name="rollout_p99"
              label="Go back above this 99th percentile"
              unit="ms"
              width="short"
              optional
            />
          </>
        )}
      </div>
    </Card>
  );
}
