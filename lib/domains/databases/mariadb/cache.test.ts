import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** The function of `member.py`, which is a program. */
const CALL = `
import ast, json, re, sys
tree = ast.parse(open("lib/domains/databases/mariadb/box/member.py").read())
tree.body = [part for part in tree.body if isinstance(part, ast.FunctionDef) and part.name == "fitting"]
exec(compile(tree, "member.py", "exec"))
print(fitting(*json.loads(sys.argv[1])))
`;

const fitting = (size: number, present: number, room: number): string => {
  const argument = JSON.stringify([`base_host=10.0.0.1;gcache.size=${size}M;gcs.fc_limit=64`, present, room]);
  return execFileSync('python3', ['-c', CALL, argument], { encoding: 'utf8' }).trim();
};

test.each([
  ['as it should be, on a new disk', 960, 0, 14_000, 960],
  ['as it is', 960, 960, 3, 960],
  ['as it should be, where it grows with room', 960, 896, 5_000, 960],
  ['as it is, where a larger one would take most of the room', 960, 896, 937, 896],
  ['a part of the room, where there is none yet', 960, 0, 400, 100],
  ['hardly anything on a full disk', 960, 0, 12, 8],
])('the cache of writes of a member is %s', (_, size, present, room, expected) => {
  expect(fitting(size, present, room)).toBe(`base_host=10.0.0.1;gcache.size=${expected}M;gcs.fc_limit=64`);
});
