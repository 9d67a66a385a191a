'use client';

import { Download, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { Size } from '@/components/kit/data/amounts';
import { CodeBlock } from '@/components/kit/data/code-block';
import { RequestId } from '@/components/kit/page/error-notice';
import { Badge } from '@/components/kit/ui/badge';
import { Button } from '@/components/kit/ui/button';
import { buttonLook } from '@/components/kit/ui/button-look';
import { Dialog } from '@/components/kit/ui/dialog';
import { Input, Textarea } from '@/components/kit/ui/input';
import { useCredential } from './credential';
import { Method } from './method';
import { Field, ParameterField } from './parameter-field';
import { Path } from './path';
import {
  addressOf,
  chosenIn,
  curlCommand,
  headersOf,
  initialValues,
  type RequestForm,
  requestWith,
  withChoice,
} from './request';
import { type Answer, useRequest } from './use-request';

interface TryRequestSheetProps {
  operation: RequestForm;
  baseUrl: string;
  close: () => void;
}

/** A request of the reader's own, sent to this platform for real; and what it answered. */
export function TryRequestSheet({ operation, baseUrl, close }: TryRequestSheetProps) {
  const { method, path, summary, parameters, body, open } = operation;
  const { token, setToken } = useCredential();
  const [values, setValues] = useState(() => initialValues(operation));
  const [file, setFile] = useState<File>();
  const { sending, send, stop } = useRequest();
  const missing = parameters.find(({ name, required }) => required && !values.parameters[name]?.trim());
  const chosen = chosenIn(values.body);
  const change = (name: string, value: string) =>
    setValues((now) => ({ ...now, parameters: { ...now.parameters, [name]: value } }));

  const submit = () => {
    const sent = body?.example === undefined ? file : values.body;
    void send(
      requestWith(token, addressOf(operation, values), {
        method,
        headers: headersOf(operation, values),
        ...(body && sent !== undefined ? { body: sent } : {}),
      }),
    );
  };

  return (
    <Dialog
      open
      onOpenChange={(shown) => shown || close()}
      form="sheet"
      size="lg"
      title={summary}
      description={
        <span className="mt-1.5 flex items-start gap-2">
          <Method name={method} />
          <Path of={path} />
        </span>
      }
    >
      <form
        className="space-y-5"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {method !== 'GET' && (
          <p className="flex items-start gap-2 text-caution-ink text-sm">
            <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
            This sends a real request. It creates, changes or deletes your resources.
          </p>
        )}
        {!open && (
          <Field
            label="Token"
            description="Leave empty to use your session in this browser. Kept until you leave this page."
          >
            {(field) => (
              <Input
                {...field}
                type="password"
                autoComplete="off"
                className="font-mono"
                value={token}
                onChange={(event) => setToken(event.target.value)}
              />
            )}
          </Field>
        )}
        {parameters.map((parameter) => (
          <ParameterField
            key={parameter.name}
            parameter={parameter}
            value={values.parameters[parameter.name] ?? ''}
            onChange={(value) => change(parameter.name, value)}
          />
        ))}
        {chosen &&
          body?.choices.map((choice) => (
            <ParameterField
              key={choice.name}
              parameter={choice}
              none="Not set"
              value={String(chosen[choice.name] ?? '')}
              onChange={(value) => setValues((now) => ({ ...now, body: withChoice(now.body, choice.name, value) }))}
            />
          ))}
        {body && body.example !== undefined && (
          <Field label="Body" description="JSON, as in the example.">
            {(field) => (
              <Textarea
                {...field}
                spellCheck={false}
                className="font-mono text-xs"
                rows={Math.min(20, values.body.split('\n').length + 1)}
                value={values.body}
                onChange={(event) => setValues((now) => ({ ...now, body: event.target.value }))}
              />
            )}
          </Field>
        )}
        {body && body.example === undefined && (
          <Field label="File" description={body.content_type}>
            {(field) => (
              <input
                {...field}
                type="file"
                className="text-sm"
                onChange={(event) => setFile(event.target.files?.[0])}
              />
            )}
          </Field>
        )}
        <div className="flex flex-wrap items-center gap-3">
          <Button
            type="submit"
            variant="primary"
            pending={sending.state === 'sending'}
            disabled={missing !== undefined}
          >
            Send request
          </Button>
          {sending.state === 'sending' && <Button onClick={stop}>Stop</Button>}
          {missing && <p className="text-ink-muted text-sm">Enter {missing.name} first.</p>}
        </div>
      </form>
      <div className="mt-6 space-y-5">
        <div aria-live="polite">
          {sending.state === 'failed' && <p className="text-critical-ink text-sm">{sending.reason}</p>}
          {'answer' in sending && sending.answer && <AnswerView answer={sending.answer} />}
        </div>
        <div>
          <h3 className="mb-1.5 font-medium text-sm">As a command</h3>
          <CodeBlock code={curlCommand(operation, baseUrl, values)} label="command" />
        </div>
      </div>
    </Dialog>
  );
}

function AnswerView({ answer }: { answer: Answer }) {
  const { status, status_text, request_id, took_ms, text, download } = answer;
  return (
    <section aria-label="Response" className="space-y-2">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <Badge tone={status < 400 ? 'positive' : 'critical'} className="font-mono">
          {status} {status_text}
        </Badge>
        <span className="text-ink-muted tabular-nums">{took_ms} ms</span>
        {request_id && <RequestId id={request_id} />}
      </p>
      {text !== undefined && text !== '' && <CodeBlock code={text} label="answer" />}
      {download && (
        <a href={download.url} download={download.name} className={buttonLook({})}>
          <Download /> Download {download.name} (<Size bytes={download.size_bytes} />)
        </a>
      )}
    </section>
  );
}
