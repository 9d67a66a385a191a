/** One press of a key, as the screen's protocol names it: an X11 keysym. */
export interface Key {
  keysym: number;
  code: string | null;
  /** The machine sees keys, not letters: it must see Shift held, as on the keyboard it believes in (US English). */
  shift: boolean;
}

const RETURN: Key = { keysym: 0xff0d, code: 'Enter', shift: false };
const TAB: Key = { keysym: 0xff09, code: 'Tab', shift: false };

const SHIFTED = /^[A-Z~!@#$%^&*()_+{}|:"<>?]$/;

/** The presses that type a text. Latin-1 stands for itself, the rest of Unicode is moved up by 0x01000000 (X11, appendix A). */
export function keysOf(text: string): Key[] {
  return [...text.replaceAll(/\r\n?/g, '\n')].flatMap((character) => {
    const point = character.codePointAt(0) ?? 0;
    if (character === '\n') return [RETURN];
    if (character === '\t') return [TAB];
    // Other control characters are no keys.
    if (point < 0x20 || (point >= 0x7f && point < 0xa0)) return [];
    return [{ keysym: point < 0x100 ? point : 0x01000000 + point, code: null, shift: SHIFTED.test(character) }];
  });
}
