import { Size } from '@/components/kit/data/amounts';
import { StatusBadge } from '@/components/kit/data/status-badge';
import type { components } from '@/lib/client/schema';

type ProgramReport = components['schemas']['ProgramReport'];

/** Programs with their state: what they were unpacked from, how far a download is, or what to do. */
export function ProgramList({ programs }: { programs: readonly ProgramReport[] }) {
  return (
    <ul aria-label="Programs" className="divide-y">
      {programs.map((program) => (
        <Program key={`${program.cell_id} ${program.name} ${program.version}`} {...program} />
      ))}
    </ul>
  );
}

function Program({ name, version, licence, status, message, progress, parts }: ProgramReport) {
  return (
    <li className="grid gap-x-6 gap-y-2 px-4 py-3.5 text-sm sm:grid-cols-[9rem_minmax(0,1fr)_auto]">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1.5 sm:flex-col">
        <h3 className="font-medium">{name}</h3>
        <StatusBadge status={status} />
      </div>
      <div className="min-w-0 space-y-1 text-ink-muted">
        {message && <p className="break-words">{message}</p>}
        {progress && (
          <p>
            {progress.step === 'downloading' ? 'Downloading' : 'Unpacking'}: <Size bytes={progress.received_bytes} />
          </p>
        )}
        {parts.length > 0 && <p className="break-words">{parts.join(', ')}</p>}
      </div>
      <p className="text-ink-muted">
        {version} · {licence}
      </p>
    </li>
  );
}
