import { LineCounter, parseAllDocuments } from 'yaml';

export interface YamlProblem {
  /** Starts at 1. */
  line: number;
  column: number;
  message: string;
  /** Offsets in the text. */
  from: number;
  to: number;
}

/** The problems of a YAML text, by line. The text may contain several documents. */
export function yamlProblems(text: string): YamlProblem[] {
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter, prettyErrors: false });
  const errors = Array.isArray(documents) ? documents.flatMap((document) => document.errors) : [];
  return errors
    .map(({ message, pos: [from, to] }) => {
      const { line, col } = lineCounter.linePos(from);
      return { line, column: col, message, from, to: Math.max(to, from) };
    })
    .sort((one, other) => one.from - other.from);
}
