'use client';

import { Download } from 'lucide-react';
import { useId, useState } from 'react';
import { CopyButton } from '@/components/kit/data/copy-button';
import { Button } from '@/components/kit/ui/button';
import { Checkbox } from '@/components/kit/ui/choice';
import { saveFile } from '@/lib/client/download';

interface RecoveryCodesProps {
  codes: readonly string[];
  /** Whose they are, for the file. */
  email: string;
  onDone: () => void;
}

/** The recovery codes of a second factor, shown this once: leaving needs the word that they are kept. */
export function RecoveryCodes({ codes, email, onDone }: RecoveryCodesProps) {
  const [kept, setKept] = useState(false);
  const field = useId();
  const text = codes.join('\n');
  return (
    <div className="space-y-4">
      <div>
        <h3 className="font-semibold text-base">Save your recovery codes</h3>
        <p className="mt-1 text-pretty text-ink-muted text-sm">
          Each code signs you in once without the app. They will not be shown again. Do not keep them on your phone.
        </p>
      </div>
      <ol aria-label="Recovery codes" className="grid grid-cols-2 gap-x-6 gap-y-1.5 rounded-md border bg-sunken p-4">
        {codes.map((code) => (
          <li key={code} className="select-all whitespace-nowrap font-mono text-sm">
            {code}
          </li>
        ))}
      </ol>
      <div className="flex flex-wrap gap-2">
        <CopyButton value={text} label="recovery codes" labelled />
        <Button onClick={() => download(`Recovery codes of ${email} for Nephele\n\n${text}\n`)}>
          <Download /> Download
        </Button>
      </div>
      <div className="flex gap-2.5">
        <Checkbox id={field} checked={kept} onChange={(event) => setKept(event.target.checked)} className="mt-0.5" />
        <label htmlFor={field} className="text-sm">
          I have saved them in a safe place
        </label>
      </div>
      <Button variant="primary" disabled={!kept} onClick={onDone}>
        Done
      </Button>
    </div>
  );
}

function download(text: string) {
  saveFile(new Blob([text], { type: 'text/plain' }), 'nephele-recovery-codes.txt');
}
