import { clsx } from 'clsx';

const grounds = [
  'bg-accent-soft text-accent',
  'bg-positive-soft text-positive-ink',
  'bg-caution-soft text-caution-ink',
];

/** The initials of a person or a project on a ground that stays theirs. Decoration: the name stands next to it. */
export function Avatar({ name, square = false, className }: { name: string; square?: boolean; className?: string }) {
  const words = name.trim().split(/[\s._@-]+/);
  const initials = `${words[0]?.[0] ?? ''}${(square ? '' : words[1]?.[0]) ?? ''}`.toUpperCase();
  const ground = [...name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % grounds.length;
  return (
    <span
      aria-hidden="true"
      className={clsx(
        'inline-grid size-6 shrink-0 select-none place-items-center font-semibold text-2xs',
        square ? 'rounded-sm' : 'rounded-full',
        grounds[ground],
        className,
      )}
    >
      {initials}
    </span>
  );
}
