const esc = String.fromCharCode(27);
const colored = (code: number, text: string) => `${esc}[${code}m${text}${esc}[0m`;
const START = Date.UTC(2026, 10, 21, 9);

/** Lines of a web server's log, starting at a number, with occasional warnings and errors. */
export function sampleLog(from: number, count: number): string {
  return Array.from({ length: count }, (_, index) => `${lineOf(from + index)}\n`).join('');
}

function lineOf(number: number): string {
  const time = colored(90, new Date(START + number * 350).toISOString());
  if (number % 97 === 41) return `${time} ${colored(31, 'error')} upstream closed the connection request=${number}`;
  if (number % 23 === 7) return `${time} ${colored(33, 'warn ')} slow query: 812 ms request=${number}`;
  return `${time} ${colored(32, 'info ')} GET /api/items/${number % 500} 200 in ${(number * 7) % 90} ms request=${number}`;
}
