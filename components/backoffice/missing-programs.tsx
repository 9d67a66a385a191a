import * as z from 'zod/mini';
import { CodeBlock } from '@/components/kit/data/code-block';

const schema = z.object({ missing: z.array(z.object({ program: z.string(), package: z.string() })) });

/** What an engine did not find on its host, and the one command that installs it. */
export function MissingPrograms({ details }: { details: unknown }) {
  const { data } = schema.safeParse(details);
  if (!data || data.missing.length === 0) return null;
  const programs = data.missing.map(({ program }) => program).join(', ');
  const packages = [...new Set(data.missing.map((found) => found.package))].join(' ');
  return (
    <div className="max-w-2xl">
      <p className="mb-1.5 text-ink-muted text-xs">
        Missing: <span className="font-mono">{programs}</span>. To install them on Debian or Ubuntu:
      </p>
      <CodeBlock code={`sudo apt-get install --no-install-recommends ${packages}`} label="command to install it" />
    </div>
  );
}
