/** The mark: an N of drifting cloud strata, lit from above. Decoration: the name stands next to it or on its link. */
export function Mark({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path
        fill="var(--mark-high)"
        d="M5 3h7a2.5 2.5 0 0 1 0 5H5a2.5 2.5 0 0 1 0-5zM19 3a2.5 2.5 0 1 1 0 5a2.5 2.5 0 1 1 0-5z"
      />
      <path
        fill="var(--mark-middle)"
        d="M5 9.5a2.5 2.5 0 1 1 0 5a2.5 2.5 0 1 1 0-5zM11 9.5h2a2.5 2.5 0 0 1 0 5h-2a2.5 2.5 0 0 1 0-5zM19 9.5a2.5 2.5 0 1 1 0 5a2.5 2.5 0 1 1 0-5z"
      />
      <path
        fill="var(--mark-low)"
        d="M5 16a2.5 2.5 0 1 1 0 5a2.5 2.5 0 1 1 0-5zM12 16h7a2.5 2.5 0 0 1 0 5h-7a2.5 2.5 0 0 1 0-5z"
      />
    </svg>
  );
}

/** Mark and name side by side. */
export function Wordmark({ size = 22 }: { size?: number }) {
  return (
    <span className="inline-flex items-center gap-2.5">
      <Mark size={size} />
      <span className="font-semibold text-lg tracking-[-0.02em]">Nephele</span>
    </span>
  );
}
