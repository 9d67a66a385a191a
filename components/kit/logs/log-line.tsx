import { clsx } from 'clsx';
import { logSpans, markMatches } from './log-lines';

interface LogLineProps {
  line: string;
  /** Marked in the line. */
  words: string;
  wrap: boolean;
}

/** The text of a line, in its colours. */
export function LogLine({ line, words, wrap }: LogLineProps) {
  return (
    <span className={clsx('min-w-0 px-3', wrap ? 'whitespace-pre-wrap wrap-anywhere' : 'whitespace-pre')}>
      {keyed(logSpans(line)).map(({ key, value }) => (
        <span key={key} className={value.className}>
          {keyed(markMatches(value.text, words)).map(({ key: part, value: { text, match } }) =>
            match ? (
              <mark key={part} className="rounded-xs bg-caution text-[oklch(0.2_0_0)]">
                {text}
              </mark>
            ) : (
              text
            ),
          )}
        </span>
      ))}
    </span>
  );
}

/** Spans of a line are identified only by their position. */
const keyed = <Value,>(values: readonly Value[]) => values.map((value, key) => ({ key, value }));
