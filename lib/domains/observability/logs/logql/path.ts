/** The steps of a path into JSON: `servers[0].name`, `request.headers["User-Agent"]`. Undefined for anything else. */
export function parsePath(text: string): (string | number)[] | undefined {
  const steps: (string | number)[] = [];
  let rest = text;
  while (rest !== '') {
    const [whole, name, index, quoted] =
      /^(?:\.?([A-Za-z_][\w-]*)|\[(\d{1,6})\]|\["((?:[^"\\]|\\.)*)"\])/.exec(rest) ?? [];
    if (whole === undefined) return undefined;
    if (steps.length === 0 && rest.startsWith('.')) return undefined;
    // Two names need a dot between them.
    if (name !== undefined && steps.length > 0 && !rest.startsWith('.')) return undefined;
    steps.push(index !== undefined ? Number(index) : (name ?? (quoted ?? '').replace(/\\(.)/g, '$1')));
    rest = rest.slice(whole.length);
  }
  return steps.length > 0 ? steps : undefined;
}
