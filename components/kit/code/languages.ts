import type { Extension } from '@uiw/react-codemirror';

/** Each language is a separate chunk, loaded on first use. */
const languages = {
  javascript: () => import('@codemirror/lang-javascript').then((module) => module.javascript({ jsx: true })),
  typescript: () =>
    import('@codemirror/lang-javascript').then((module) => module.javascript({ jsx: true, typescript: true })),
  json: () => import('@codemirror/lang-json').then((module) => module.json()),
  logql: () => import('./query-languages').then((module) => module.logql),
  markdown: () => import('@codemirror/lang-markdown').then((module) => module.markdown()),
  promql: () => import('./query-languages').then((module) => module.promql),
  python: () => import('@codemirror/lang-python').then((module) => module.python()),
  sql: () => import('@codemirror/lang-sql').then((module) => module.sql()),
  yaml: () => import('@codemirror/lang-yaml').then((module) => module.yaml()),
} satisfies Record<string, () => Promise<Extension>>;

export type CodeLanguage = keyof typeof languages | 'text';

/** The syntax of a language; none for plain text. */
export function loadLanguage(language: CodeLanguage): Promise<Extension> {
  return language === 'text' ? Promise.resolve([]) : languages[language]();
}

const endings: Record<string, CodeLanguage> = {
  cjs: 'javascript',
  js: 'javascript',
  json: 'json',
  jsx: 'javascript',
  md: 'markdown',
  mjs: 'javascript',
  mts: 'typescript',
  py: 'python',
  sql: 'sql',
  ts: 'typescript',
  tsx: 'typescript',
  yaml: 'yaml',
  yml: 'yaml',
};

/** The language of a file by its extension; plain text if unknown. */
export function languageOf(fileName: string): CodeLanguage {
  const ending = /\.(\w+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(endings, ending) ? (endings[ending] ?? 'text') : 'text';
}
