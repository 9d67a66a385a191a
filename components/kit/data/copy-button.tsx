'use client';

import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '@/components/kit/ui/button';
import { Tooltip } from '@/components/kit/ui/tooltip';

/** Without a secure context (plain http on a host name) browsers offer no clipboard: select and let the old command copy. */
async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

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
        await copy(value);
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
