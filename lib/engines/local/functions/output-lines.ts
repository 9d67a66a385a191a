import { StringDecoder } from 'node:string_decoder';

/** A longer line is given out in parts. */
const LINE_CHARACTERS = 8 * 1024;

/** The lines of a stream. */
export class OutputLines {
  private readonly decoder = new StringDecoder('utf8');
  private text = '';

  constructor(private readonly give: (message: string) => void) {}

  write(piece: Buffer): void {
    const parts = (this.text + this.decoder.write(piece)).split('\n');
    this.text = parts.pop() ?? '';
    for (const part of parts) this.line(part);
    while (this.text.length > LINE_CHARACTERS) {
      this.give(this.text.slice(0, LINE_CHARACTERS));
      this.text = this.text.slice(LINE_CHARACTERS);
    }
  }

  /** Gives out a last line that has not ended. */
  complete(): void {
    const rest = this.text + this.decoder.end();
    this.text = '';
    if (rest !== '') this.give(rest);
  }

  private line(text: string): void {
    for (let at = 0; at === 0 || at < text.length; at += LINE_CHARACTERS)
      this.give(text.slice(at, at + LINE_CHARACTERS));
  }
}
