import type { ReferenceField, ReferenceShape } from '@/lib/core/api/reference';
import { InlineCode } from './inline-code';

/** Fields of a body, or parameters: name, type, what holds of it. What lies deeper opens on demand. */
export function Fields({ fields }: { fields: readonly ReferenceField[] }) {
  return (
    <ul className="divide-y border-y">
      {fields.map((field) => (
        <li key={field.name} className="py-2.5 text-sm">
          <p className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
            <code className="break-all font-medium font-mono text-xs">{field.name}</code>
            <span className="text-ink-muted text-xs">{field.type}</span>
            {field.required && <span className="text-caution-ink text-xs">required</span>}
          </p>
          {field.description && (
            <p className="mt-1 text-pretty text-ink-muted">
              <InlineCode text={field.description} />
            </p>
          )}
          <Facts shape={field} />
          <Inside name={field.name} shape={field} />
        </li>
      ))}
    </ul>
  );
}

/** A body: its fields, or each of the shapes that it may have. */
export function Shape({ shape }: { shape: ReferenceShape }) {
  if (shape.variants.length > 0) {
    return shape.variants.map((variant) => (
      <div key={variant.type} className="mb-4 last:mb-0">
        <p className="mb-1.5 font-medium text-sm">{variant.type}</p>
        <Fields fields={variant.fields} />
      </div>
    ));
  }
  if (shape.fields.length > 0) return <Fields fields={shape.fields} />;
  return (
    <div className="text-ink-muted text-sm">
      <p>{shape.type}</p>
      <Facts shape={shape} />
    </div>
  );
}

function Facts({ shape: { facts, values } }: { shape: ReferenceShape }) {
  if (facts.length === 0 && values.length === 0) return null;
  return (
    <p className="mt-1 flex flex-wrap items-baseline gap-x-1.5 gap-y-1 text-ink-muted text-xs">
      {values.map((value) => (
        <code key={value} className="rounded-sm bg-hover px-1 py-px font-mono">
          {value}
        </code>
      ))}
      {facts.length > 0 && <span className="break-all">{facts.join(' · ')}</span>}
    </p>
  );
}

function Inside({ name, shape }: { name: string; shape: ReferenceShape }) {
  if (shape.fields.length === 0 && shape.variants.length === 0) return null;
  return (
    <details className="group mt-1.5">
      <summary className="w-fit cursor-pointer rounded-sm text-accent text-xs hover:underline">
        Fields of {name}
      </summary>
      <div className="mt-2 border-l-2 pl-4">
        <Shape shape={shape} />
      </div>
    </details>
  );
}
