import type { Cluster, Member } from '../../cluster/clusters';
import { type Check, checkOf, type Problem } from '../../jobs/check';
import { ask } from '../connections';
import type { Reply } from '../resp';
import { fieldsOf } from '../state';

const PATIENT_MS = 10_000;
/** Functions of Lua that scripts have in 8.0 and in no later version. */
const GONE_AFTER_8_0 = /\b(?:getfenv|setfenv|newproxy)\b/g;
/** More of the memory in use than this may be too much for another version's way of storing the same data. */
const FULL = 0.9;

/** What of the contents the target does not know, named one by one. Parameters are the same in all certified versions. */
export async function checkContents(cluster: Cluster, primary: Member, target: string): Promise<Check> {
  const libraries = librariesOf(await ask(cluster, primary, ['FUNCTION', 'LIST', 'WITHCODE'], PATIENT_MS));
  const memory = fieldsOf(String(await ask(cluster, primary, ['INFO', 'memory'], PATIENT_MS)));
  const problems = [
    ...(primary.version === '8.0'
      ? lostFunctions(libraries, Number(memory.get('number_of_cached_scripts')), target)
      : []),
    ...fullMemory(Number(memory.get('used_memory')), Number(memory.get('maxmemory'))),
  ];
  return checkOf(
    'compatibility',
    problems,
    'All keys and libraries of functions go along with the new version.',
    'Some contents need your attention.',
  );
}

function lostFunctions(libraries: readonly Library[], scripts: number, target: string): Problem[] {
  const problems = libraries.flatMap(({ name, code }): Problem[] => {
    const names = [...new Set(code.replaceAll(/--.*$/gm, '').match(GONE_AFTER_8_0) ?? [])].join(', ');
    if (names === '') return [];
    const text = `The library of functions ${name} uses ${names}, which Valkey ${target} does not have. Load it without that (FUNCTION LOAD REPLACE).`;
    return [{ blocks: true, text }];
  });
  if (scripts > 0)
    problems.push({
      blocks: false,
      text: `${scripts} scripts of EVAL are in use: where they call getfenv, setfenv or newproxy, they fail with Valkey ${target}.`,
    });
  return problems;
}

function fullMemory(used: number, most: number): Problem[] {
  if (!(used > FULL * most)) return [];
  const share = Math.round((used / most) * 100);
  return [
    { blocks: false, text: `The data fill ${share} % of the memory for them, and the new version may need more.` },
  ];
}

type Library = { name: string; code: string };

/** Names and values take turns in each library's answer. */
function librariesOf(reply: Reply): Library[] {
  if (!Array.isArray(reply)) return [];
  return reply.filter(Array.isArray).map((fields) => {
    const fieldOf = (name: string) => String(fields[fields.indexOf(name) + 1] ?? '');
    return { name: fieldOf('library_name'), code: fieldOf('library_code') };
  });
}
