'use client';

import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '@/components/kit/ui/button';
import { Tooltip } from '@/components/kit/ui/tooltip';
import { copyText } from '@/lib/client/clipboard';

interface CopyButtonProps {
  value: string;
  /** What is copied, for its name: "Copy request ID". */
  label: string;
  /** Shows the label on the button. */
  labelled?: boolean;
}

/** Copies a value and says that it did. */
export function CopyButton({ value, label, labelled = false }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1600);
    return () => clearTimeout(timer);
  }, [copied]);

  const name = `Copy ${label}`;
  const button = (
    <Button
      variant={labelled ? 'secondary' : 'quiet'}
      className={labelled ? undefined : 'opacity-70 hover:opacity-100 focus-visible:opacity-100'}
      size={labelled ? 'md' : 'icon-sm'}
      aria-label={labelled ? undefined : name}
      onClick={async (event) => {
        event.stopPropagation();
        await copyText(value);
        setCopied(true);
      }}
    >
      {copied ? <Check className="text-positive" /> : <Copy />}
      {labelled && name}
    </Button>
  );
  return (
    <>
      {labelled ? button : <Tooltip text={copied ? 'Copied' : name}>{button}</Tooltip>}
      <span role="status" className="sr-only">
        {copied ? 'Copied' : ''}
      </span>
    </>
  );
}
