import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import type { StoredVariable } from '../environment';
import { findTemplate } from '../templates';
import type { VersionFacts } from '../view';

/** A version of a function as the pool runs it. Never changes. */
export type RunnableVersion = VersionFacts & {
  id: string;
  function_id: string;
  project_id: string;
  name: string;
  version: number;
  env: StoredVariable[];
  sealed_env: Buffer | null;
};

/** Versions that a pool remembers. */
const MOST = 1000;

/** Reads versions, each once. */
export class Versions {
  private readonly known = new Map<string, RunnableVersion>();
  private readonly serving = new Map<string, { version: number; epoch: number }>();

  /**
   * The version that serves, as it was known at this epoch of its project or later (docs/decisions/0152).
   * @param epoch null: it is read
   */
  async current(functionId: string, epoch: number | null): Promise<RunnableVersion | undefined> {
    const known = this.serving.get(functionId);
    if (known && epoch !== null && known.epoch >= epoch) return this.find(functionId, known.version);
    const found = await queryOne<{ version: number; epoch: number }>(sql`
      SELECT f.version, p.functions_epoch AS epoch FROM functions f JOIN projects p ON p.id = f.project_id
      WHERE f.id = ${functionId}::uuid`);
    if (!found) {
      this.forget(functionId);
      return undefined;
    }
    this.serves(functionId, found.version, found.epoch);
    return this.find(functionId, found.version);
  }

  /** Notes that a version serves. Numbers of versions only grow, as epochs do. */
  serves(functionId: string, version: number, epoch = -1): void {
    const known = this.serving.get(functionId) ?? { version: 0, epoch: -1 };
    if (this.serving.size >= MOST) this.serving.clear();
    this.serving.set(functionId, {
      version: Math.max(version, known.version),
      epoch: Math.max(epoch, known.epoch),
    });
  }

  /** Undefined for a version that does not exist, or not any more. */
  async find(functionId: string, version: number): Promise<RunnableVersion | undefined> {
    const key = `${functionId} ${version}`;
    const present = this.known.get(key);
    if (present) return present;
    const found = await queryOne<RunnableVersion>(sql`
      SELECT v.*, f.name FROM function_versions v JOIN functions f ON f.id = v.function_id
      WHERE v.function_id = ${functionId}::uuid AND v.version = ${version}::int`);
    if (!found) return undefined;
    if (this.known.size >= MOST) this.known.clear();
    this.known.set(key, found);
    return found;
  }

  forget(functionId: string): void {
    this.serving.delete(functionId);
    for (const key of this.known.keys()) if (key.startsWith(`${functionId} `)) this.known.delete(key);
  }
}

/** The runtime of a version. */
export function templateOf({ template_id }: Pick<VersionFacts, 'template_id'>) {
  const template = findTemplate(template_id);
  if (!template) throw new Error(`there is no template ${template_id}`);
  return template;
}

export const languageOf = (runtime: string) =>
  runtime.startsWith('python') ? 'python' : runtime.startsWith('node') ? 'node' : 'deno';
