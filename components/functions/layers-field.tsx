'use client';

import { ArrowUp, Trash2 } from 'lucide-react';
import { useWatch } from 'react-hook-form';
import { Button } from '@/components/kit/ui/button';
import { Combobox } from '@/components/kit/ui/combobox';
import { runtimeName } from '@/components/layers/types';
import { useList } from '@/lib/client/list';
import { MOST_LAYERS } from '@/lib/domains/layers/limits';
import type { ConfigurationForm } from './configuration-tab';
import type { CloudFunction } from './types';

/** The layers of a function, in order. Offers the latest version of each layer that the project may use. */
export function LayersField({ form, of }: { form: ConfigurationForm; of: CloudFunction }) {
  const { control, setValue } = form;
  const chosen = useWatch({ control, name: 'layer_version_ids', compute: (all: string[]) => [...all] });
  const own = useList('/api/v1/layers', { limit: 200, sort: 'name' });
  const shared = useList('/api/v1/layers', { limit: 200, sort: 'name', shared: 'with_me' });
  const everyone = useList('/api/v1/layers', { limit: 200, sort: 'name', shared: 'public' });
  const known = new Map(
    [...(own.data?.rows ?? []), ...(shared.data?.rows ?? []), ...(everyone.data?.rows ?? [])].flatMap((layer) =>
      layer.latest_version ? [[layer.latest_version.id, layer] as const] : [],
    ),
  );
  const set = (next: string[]) => setValue('layer_version_ids', next, { shouldDirty: true });
  const labelOf = (id: string) => {
    const layer = known.get(id);
    return layer ? `${layer.name}, version ${layer.latest_version?.version}` : `Version ${id}`;
  };
  const options = [...known].flatMap(([id, layer]) => {
    const runtime = layer.latest_version?.runtime ?? null;
    if (chosen.includes(id)) return [];
    const fits = runtime === null || runtime === of.template_id || bothNode(runtime, of.template_id);
    return [
      {
        value: id,
        label: labelOf(id),
        description: `${runtimeName(runtime)}${layer.is_own ? '' : `, by ${layer.owner}`}`,
        ...(fits ? {} : { disabledReason: `Built for ${runtimeName(runtime)}.` }),
      },
    ];
  });
  return (
    <fieldset>
      <legend className="font-medium text-sm">Layers</legend>
      <p className="mt-0.5 text-pretty text-ink-muted text-xs">
        Up to {MOST_LAYERS}. Where two have the same package, the lower one wins; the code wins over all.
      </p>
      <ol className="mt-2 space-y-1.5">
        {chosen.map((id, position) => (
          <li key={id} className="flex items-center gap-2 rounded-md border bg-surface py-1 pr-1 pl-3 text-sm">
            <span className="min-w-0 flex-1 wrap-anywhere">{labelOf(id)}</span>
            <Button
              size="icon-sm"
              variant="quiet"
              aria-label={`Move ${labelOf(id)} up`}
              disabled={position === 0}
              onClick={() => set(chosen.with(position, chosen[position - 1] ?? id).with(position - 1, id))}
            >
              <ArrowUp />
            </Button>
            <Button
              size="icon-sm"
              variant="quiet"
              aria-label={`Remove ${labelOf(id)}`}
              onClick={() => set(chosen.filter((other) => other !== id))}
            >
              <Trash2 />
            </Button>
          </li>
        ))}
      </ol>
      {chosen.length < MOST_LAYERS && (
        <Combobox
          aria-label="Add a layer"
          className="mt-2"
          nouns="layers"
          placeholder={options.length === 0 ? 'No layer to add' : 'Add a layer…'}
          options={options}
          value={undefined}
          onValueChange={(id) => set([...chosen, id])}
        />
      )}
    </fieldset>
  );
}

const bothNode = (one: string, other: string) => one.startsWith('nodejs') && other.startsWith('nodejs');
