'use client';

import { Plus, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { CodeEditor } from '@/components/kit/code/code-editor';
import { Button } from '@/components/kit/ui/button';
import { Input } from '@/components/kit/ui/input';
import { Select } from '@/components/kit/ui/select';
import { FIRST_EVENT, freshName, HTTP_EVENT, keepTestEvents, readTestEvents, type TestEvent } from './test-events';

interface TestEventEditorProps {
  functionId: string;
  /** Told of the event that is chosen, and of every change of it. */
  onChange: (event: TestEvent) => void;
}

/** The test events of a function. This browser keeps them. */
export function TestEventEditor({ functionId, onChange }: TestEventEditorProps) {
  const [events, setEvents] = useState<TestEvent[]>(() => readTestEvents(functionId, window.localStorage));
  const [position, setPosition] = useState(0);
  const event = events[position] ?? events[0] ?? FIRST_EVENT;
  useEffect(() => onChange(event), [event, onChange]);
  const keep = (next: TestEvent[], at: number) => {
    setEvents(next);
    setPosition(at);
    keepTestEvents(functionId, next, window.localStorage);
  };
  const change = (changed: Partial<TestEvent>) =>
    keep(
      events.map((one, index) => (index === position ? { ...one, ...changed } : one)),
      position,
    );
  const add = (added: TestEvent) => keep([...events, added], events.length);
  const hasHttp = events.some(({ name }) => name === HTTP_EVENT.name);
  return (
    <div className="space-y-3">
      <div className="flex items-center gap-2">
        <Select
          aria-label="Event"
          className="min-w-0 flex-1"
          options={events.map(({ name }, index) => ({ value: String(index), label: name || 'Unnamed' }))}
          value={String(position)}
          onValueChange={(value) => setPosition(Number(value))}
        />
        <Button
          size="icon"
          variant="quiet"
          aria-label={`Remove event ${event.name}`}
          disabled={events.length < 2}
          onClick={() => keep(events.toSpliced(position, 1), Math.max(0, position - 1))}
        >
          <Trash2 />
        </Button>
      </div>
      <Input
        aria-label="Name of the event"
        value={event.name}
        autoComplete="off"
        onChange={({ target }) => change({ name: target.value })}
      />
      <CodeEditor
        key={position}
        label="Event payload"
        language="json"
        value={event.payload}
        onChange={(payload) => change({ payload })}
      />
      <div className="flex flex-wrap gap-2">
        <Button size="sm" onClick={() => add({ name: freshName(events), payload: event.payload })}>
          <Plus /> Add event
        </Button>
        {!hasHttp && (
          <Button size="sm" variant="quiet" onClick={() => add(HTTP_EVENT)}>
            Add HTTP request
          </Button>
        )}
      </div>
    </div>
  );
}
