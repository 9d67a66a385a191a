'use client';

import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/kit/ui/button';
import { CopyButton } from './copy-button';

/** A value that is covered until someone asks to see it. Copying needs no look at it. */
export function Secret({ value, label }: { value: string; label: string }) {
  const [shown, setShown] = useState(false);
  const verb = shown ? 'Hide' : 'Show';
  return (
    <div className="flex min-h-10 items-center gap-0.5 rounded-md border bg-sunken py-1 pr-1 pl-3">
      <code className="min-w-0 flex-1 whitespace-pre-wrap break-all font-mono text-xs leading-5">
        {shown ? (
          value
        ) : (
          <>
            <span className="sr-only">{label}, hidden</span>
            <span aria-hidden="true">{'•'.repeat(24)}</span>
          </>
        )}
      </code>
      <Button
        variant="quiet"
        size="icon-sm"
        aria-label={`${verb} ${label}`}
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
      >
        {shown ? <EyeOff /> : <Eye />}
      </Button>
      <CopyButton value={value} label={label} />
    </div>
  );
}
