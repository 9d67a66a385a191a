'use client';

import { Search } from 'lucide-react';
import { useId, useState } from 'react';
import { Input } from '@/components/kit/ui/input';
import { Select } from '@/components/kit/ui/select';
import { useProject } from '@/lib/client/project';
import { equalTo, readSelection, textOf, withLabels, withText, writeSelection } from './query-text';
import { SmallField } from './small-field';

interface LogBuilderProps {
  query: string;
  onChange: (query: string) => void;
  /** The labels to choose, if not all of them. */
  only?: readonly string[] | undefined;
}

const fields = [
  { name: 'service', label: 'Service', any: 'Any service' },
  { name: 'resource_name', label: 'Resource', any: 'Any resource' },
  { name: 'level', label: 'Level', any: 'Any level' },
] as const;

/** The parts of a query that need no knowledge of LogQL: service, resource, level and text. */
export function LogBuilder({ query, onChange, only }: LogBuilderProps) {
  const selection = readSelection(query);
  const text = selection ? textOf(selection) : '';
  return (
    <form
      aria-label="Filters"
      className="flex flex-wrap items-end gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        const words = new FormData(event.currentTarget).get('words');
        if (selection && typeof words === 'string') onChange(writeSelection(withText(selection, words.trim())));
      }}
    >
      {fields
        .filter(({ name }) => only?.includes(name) ?? true)
        .map(({ name, label, any }) => (
          <LabelSelect
            key={name}
            name={name}
            label={label}
            any={any}
            value={selection && equalTo(selection, name)}
            disabled={!selection}
            onChoose={(value) => selection && onChange(writeSelection(withLabels(selection, { [name]: value })))}
          />
        ))}
      <Words key={text} text={text} disabled={!selection} />
    </form>
  );
}

function Words({ text, disabled }: { text: string; disabled: boolean }) {
  const id = useId();
  const [words, setWords] = useState(text);
  return (
    <SmallField label="Text" htmlFor={id} className="min-w-44 flex-1">
      <span className="relative block">
        <Search className="pointer-events-none absolute top-2 left-2.5 size-4 text-ink-subtle" aria-hidden="true" />
        <Input
          id={id}
          name="words"
          value={words}
          disabled={disabled}
          placeholder="Lines that contain…"
          onChange={({ target }) => setWords(target.value)}
          className="pl-8"
        />
      </span>
    </SmallField>
  );
}

/** No option of a select may be empty. */
const ANY = '*';

interface LabelSelectProps {
  name: string;
  label: string;
  any: string;
  value: string | undefined;
  disabled: boolean;
  onChoose: (value: string | null) => void;
}

function LabelSelect({ name, label, any, value, disabled, onChoose }: LabelSelectProps) {
  const id = useId();
  const { known, refresh } = useLabelValues(name);
  const values = [...new Set([...known, ...(value === undefined ? [] : [value])])];
  return (
    <SmallField label={label} htmlFor={id} className="w-44 max-sm:w-full">
      <Select
        id={id}
        options={[{ value: ANY, label: any }, ...values.map((one) => ({ value: one, label: one }))]}
        value={value ?? ANY}
        disabled={disabled}
        onFocus={refresh}
        onValueChange={(chosen) => onChoose(chosen === ANY ? null : chosen)}
      />
    </SmallField>
  );
}

/** Values of a label in the last week. New lines may have others: they are read again before one is chosen. */
function useLabelValues(name: string) {
  const { api } = useProject();
  const { data, refetch } = api.useQuery('get', '/api/v1/observability/loki/api/v1/label/{name}/values', {
    params: { path: { name }, query: { since: '7d' } },
  });
  return { known: data?.data ?? [], refresh: () => void refetch() };
}
