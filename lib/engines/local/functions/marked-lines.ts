import { StringDecoder } from 'node:string_decoder';

/** A longer line is given out in parts. */
const LINE_CHARACTERS = 8 * 1024;

/** The lines of a stream, with marks between them that say what was written before. */
export class MarkedLines {
  private readonly decoder = new StringDecoder('utf8');
  private text = '';
  private readonly wanted = new Map<string, () => void>();
  private readonly seen = new Set<string>();
  private hasEnded = false;

  constructor(private readonly give: (message: string) => void) {}

  write(piece: Buffer): void {
    this.text += this.decoder.write(piece);
    for (;;) {
      const match = MARK.exec(this.text);
      if (!match) break;
      this.lines(this.text.slice(0, match.index), true);
      this.text = this.text.slice(match.index + match[0].length);
      this.reached(match[0]);
    }
    this.text = this.lines(this.text, false);
  }

  /** Resolves when the mark has come. */
  until(mark: string): Promise<void> {
    if (this.hasEnded || this.seen.delete(mark)) return Promise.resolve();
    return new Promise((resolve) => this.wanted.set(mark, resolve));
  }

  end(): void {
    this.hasEnded = true;
    this.lines(this.text + this.decoder.end(), true);
    this.text = '';
    for (const resolve of this.wanted.values()) resolve();
  }

  private reached(mark: string): void {
    const resolve = this.wanted.get(mark);
    this.wanted.delete(mark);
    if (resolve) resolve();
    // Only the newest can still be asked for.
    else this.seen.clear();
    if (!resolve) this.seen.add(mark);
  }

  /** Gives out complete lines. @returns the rest */
  private lines(text: string, all: boolean): string {
    const parts = text.split('\n');
    let rest = parts.pop() ?? '';
    for (const part of parts) this.line(part);
    while (rest.length > LINE_CHARACTERS) {
      this.give(rest.slice(0, LINE_CHARACTERS));
      rest = rest.slice(LINE_CHARACTERS);
    }
    if (!all) return rest;
    if (rest !== '') this.give(rest);
    return '';
  }

  private line(text: string): void {
    for (let at = 0; at === 0 || at < text.length; at += LINE_CHARACTERS)
      this.give(text.slice(at, at + LINE_CHARACTERS));
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: no text has a record separator by accident
const MARK = /\u001e[A-Za-z0-9_-]{12}\u001e/;
