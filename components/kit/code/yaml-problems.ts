import { LineCounter, parseAllDocuments } from 'yaml';

export interface YamlProblem {
  /** From 1. */
  line: number;
  column: number;
  message: string;
  /** Offsets in the text. */
  from: number;
  to: number;
}

/** What is wrong with a YAML text, in the order of its lines. Several documents may follow each other. */
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
