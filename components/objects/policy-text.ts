/** Why a text is no JSON object, with its line; undefined: it is one. Empty texts are none, and no fault. */
export function jsonProblem(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? undefined
      : 'A policy is an object: { "Version": …, "Statement": […] }';
  } catch {
    return `No valid JSON from line ${lineOfProblem(text)}.`;
  }
}

/** The last line of the longest beginning that can still become JSON. Browsers word their messages differently, and some name no place. */
function lineOfProblem(text: string): number {
  const open: string[] = [];
  let line = 1;
  let isText = false;
  let expects: 'value' | 'after' | 'name' | 'colon' = 'value';
  const tokens = /\s+|"(?:[^"\\\n]|\\.)*"|[{}[\],:]|-?\d[\d.eE+-]*|true|false|null|./gs;
  for (const [token] of text.matchAll(tokens)) {
    if (/^\s+$/.test(token)) {
      line += token.split('\n').length - 1;
      continue;
    }
    isText = token.length > 1 && token.startsWith('"');
    const isValue = isText || /^(-?\d|true$|false$|null$)/.test(token);
    if (expects === 'name') {
      if (isText) expects = 'colon';
      else if (token === '}' && open.pop() === '{') expects = 'after';
      else return line;
    } else if (expects === 'colon') {
      if (token !== ':') return line;
      expects = 'value';
    } else if (expects === 'value') {
      if (token === '{' || token === '[') {
        open.push(token);
        expects = token === '{' ? 'name' : 'value';
      } else if (isValue) expects = 'after';
      else if (token === ']' && open.pop() === '[') expects = 'after';
      else return line;
    } else if (token === ',' && open.length > 0) expects = open.at(-1) === '{' ? 'name' : 'value';
    else if ((token === '}' && open.at(-1) === '{') || (token === ']' && open.at(-1) === '[')) open.pop();
    else return line;
  }
  return line;
}

/** As people read it. */
export function laidOut(policy: string | null): string {
  if (policy === null) return '';
  try {
    return JSON.stringify(JSON.parse(policy), undefined, 2);
  } catch {
    return policy;
  }
}

/** Everyone reads what is below a folder. */
export const samplePolicy = (bucket: string) =>
  JSON.stringify(
    {
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: '*',
          Action: 's3:GetObject',
          Resource: `arn:aws:s3:::${bucket}/public/*`,
        },
      ],
    },
    undefined,
    2,
  );
