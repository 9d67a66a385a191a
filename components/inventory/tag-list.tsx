/** Tags as `key=value`; a tag without a value as its key. */
export function TagList({ tags }: { tags: Readonly<Record<string, string>> }) {
  return (
    <ul aria-label="Tags" className="flex max-w-full flex-wrap gap-1">
      {Object.entries(tags).map(([key, value]) => (
        <li key={key} className="wrap-anywhere max-w-72 rounded-sm bg-accent-soft px-1.5 py-0.5 text-xs">
          {value === '' ? key : `${key}=${value}`}
        </li>
      ))}
    </ul>
  );
}
