import { CopyButton } from './copy-button';

/** Text for a machine, to be copied as a whole: a command, a key, a document. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <figure aria-label={label} className="relative rounded-md border bg-sunken">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reached by the keyboard */}
      <pre tabIndex={0} className="overflow-x-auto py-2.5 pr-11 pl-3 font-mono text-xs leading-5">
        <code>{code}</code>
      </pre>
      <div className="absolute top-0 right-0 rounded-md bg-sunken p-1">
        <CopyButton value={code} label={label} />
      </div>
    </figure>
  );
}
