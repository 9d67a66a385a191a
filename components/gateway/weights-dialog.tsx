'use client';

import { useState } from 'react';
import * as z from 'zod/mini';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { SplitSlider } from '@/components/kit/shares/split-slider';
import { Dialog } from '@/components/kit/ui/dialog';
import { useProject } from '@/lib/client/project';
import { bodyOf, type Route } from './types';

const schema = z.object({ shares: z.array(z.number()) });

/** Changes how requests are divided among the backends of a route. */
export function WeightsDialog({ route, close }: { route: Route; close: () => void }) {
  const { api } = useProject();
  const apply = api.useMutation('post', '/api/v1/gateway/routes');
  // As they were when the dialog opened: observations must not move the sliders.
  const [{ backends }] = useState(route);
  const form = useSchemaForm<{ shares: number[] }, { shares: number[] }>(schema, {
    shares: backends.map(({ weight }) => weight),
  });
  const shares = form.watch('shares');
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      title={`Weights of ${route.name}`}
      description="Holds for the next request. A backend with 0% gets none."
    >
      <FormShell
        form={form}
        loading={false}
        error={apply.error}
        failure="The weights could not be changed"
        submitLabel="Apply weights"
        operation="applyRoute"
        cancel={close}
        onSubmit={async (values) => {
          const body = bodyOf(route);
          await apply.mutateAsync({
            body: {
              ...body,
              backends: body.backends.map((backend, position) => ({
                ...backend,
                weight: values.shares[position] ?? backend.weight,
              })),
            },
          });
          close();
        }}
      >
        <SplitSlider
          label="Requests"
          parts={backends.map(({ name }) => ({ name, label: name }))}
          shares={shares}
          onChange={(next) => form.setValue('shares', next, { shouldDirty: true })}
        />
      </FormShell>
    </Dialog>
  );
}
