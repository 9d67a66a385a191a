import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { Label } from '@/components/kit/ui/label';

interface FrameProps {
  id: string;
  label: ReactNode;
  description: ReactNode;
  optional: boolean;
  error?: string | undefined;
  children: ReactNode;
}

/** Everything around a control that is not the control: its name, what to know, what is wrong. Its ids are those of `described`. */
export function Frame({ id, label, description, optional, error, children }: FrameProps) {
  return (
    <div>
      <div className="flex items-baseline justify-between gap-3">
        <Label htmlFor={id}>{label}</Label>
        {optional && <span className="text-ink-subtle text-xs">Optional</span>}
      </div>
      {description && (
        <p id={`${id}-description`} className="mt-0.5 text-pretty text-ink-muted text-xs">
          {description}
        </p>
      )}
      <div className="mt-1.5">{children}</div>
      <FieldError id={id} error={error} />
    </div>
  );
}

/** What is wrong with a field, said when it comes up. */
export function FieldError({ id, error }: { id: string; error: string | undefined }) {
  return (
    <p id={`${id}-error`} aria-live="polite" className={clsx('text-critical-ink text-xs', error && 'mt-1.5')}>
      {error}
    </p>
  );
}

/** What ties a control to its description and its error. */
export function described(id: string, description: ReactNode, error?: string) {
  const ids = [description ? `${id}-description` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ');
  return { id, 'aria-describedby': ids || undefined, 'aria-invalid': error ? true : undefined };
}
