import type { Extension } from '@uiw/react-codemirror';
import { useEffect, useState } from 'react';
import { type CodeLanguage, loadLanguage } from './languages';

const plain: Extension = [];

/** The syntax of a language; plain text until it has loaded. */
export function useLanguage(language: CodeLanguage): Extension {
  const [loaded, setLoaded] = useState<{ language: CodeLanguage; syntax: Extension }>();
  useEffect(() => {
    let current = true;
    const use = (syntax: Extension) => current && setLoaded({ language, syntax });
    // If loading fails, the text stays readable without colours.
    loadLanguage(language).then(use, () => use(plain));
    return () => {
      current = false;
    };
  }, [language]);
  return loaded?.language === language ? loaded.syntax : plain;
}
