/** A sentence in which `backticks` set what a machine reads. */
export function InlineCode({ text }: { text: string }) {
  let at = 0;
  return text.split('`').map((part, position) => {
    const key = at;
    at += part.length + 1;
    return position % 2 === 1 ? (
      <code key={key} className="break-words rounded-sm bg-hover px-1 py-px font-mono text-[0.92em]">
        {part}
      </code>
    ) : (
      part
    );
  });
}
