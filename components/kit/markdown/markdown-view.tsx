'use client';

import { ExternalLink, ImageOff } from 'lucide-react';
import { memo } from 'react';
import Markdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { CodeBlock } from '@/components/kit/data/code-block';
import { completed, isLocalImage, safeUrl } from './safe-markdown';

export interface MarkdownTextProps {
  text: string;
  /** The text is incomplete: open constructs at the end are closed for display. */
  streaming?: boolean;
}

/**
 * Renders Markdown from untrusted people or models: no HTML, no scripts in links, and no images of other servers, which
 * would learn who reads it.
 */
export default memo(function MarkdownView({ text, streaming = false }: MarkdownTextProps) {
  return (
    <div aria-busy={streaming || undefined} className="space-y-3 break-words text-sm [&_li]:mt-1">
      <Markdown
        remarkPlugins={[remarkGfm]}
        urlTransform={(url, attribute) => (attribute === 'src' ? url : safeUrl(url))}
        components={components}
        skipHtml
      >
        {streaming ? completed(text) : text}
      </Markdown>
    </div>
  );
});

const heading = 'mt-5 font-semibold tracking-[-0.01em] first:mt-0';

const components: Components = {
  // The page uses h1 and h2, so headings of a text start at h3.
  h1: ({ children }) => <h3 className={`${heading} text-lg`}>{children}</h3>,
  h2: ({ children }) => <h4 className={`${heading} text-base`}>{children}</h4>,
  h3: ({ children }) => <h5 className={`${heading} text-sm`}>{children}</h5>,
  h4: ({ children }) => <h6 className={`${heading} text-sm`}>{children}</h6>,
  h5: ({ children }) => <h6 className={`${heading} text-sm`}>{children}</h6>,
  p: ({ children }) => <p className="text-pretty leading-6">{children}</p>,
  ul: ({ children }) => <ul className="list-disc pl-5">{children}</ul>,
  ol: ({ children, start }) => (
    <ol start={start} className="list-decimal pl-5">
      {children}
    </ol>
  ),
  blockquote: ({ children }) => (
    <blockquote className="border-l-2 border-line-strong pl-3 text-ink-muted">{children}</blockquote>
  ),
  hr: () => <hr />,
  a: ({ href, children }) =>
    href ? (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow" className="text-accent underline">
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  img: ({ src, alt }) =>
    typeof src === 'string' && isLocalImage(src) ? (
      // biome-ignore lint/performance/noImgElement: the address is in the text itself
      <img src={src} alt={alt ?? ''} className="max-w-full rounded-md border" />
    ) : (
      <NotLoaded src={src} alt={alt} />
    ),
  pre: ({ node }) => {
    const [code] = node?.children ?? [];
    const text = code && 'children' in code ? code.children.map((child) => ('value' in child ? child.value : '')) : [];
    return <CodeBlock code={text.join('').replace(/\n$/, '')} label="code" />;
  },
  code: ({ children }) => <code className="rounded-xs bg-sunken px-1 py-0.5 font-mono text-xs">{children}</code>,
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reached by the keyboard
    <section tabIndex={0} aria-label="Table" className="overflow-x-auto rounded-md border">
      <table className="w-full text-left text-sm [&_td]:border-t [&_td]:px-3 [&_td]:py-1.5 [&_th]:bg-sunken [&_th]:px-3 [&_th]:py-1.5 [&_th]:font-medium">
        {children}
      </table>
    </section>
  ),
  input: ({ checked }) => (
    <input type="checkbox" checked={checked ?? false} readOnly disabled aria-label={checked ? 'Done' : 'Open'} />
  ),
};

/** An image of another server as a link, which loads only on demand. */
function NotLoaded({ src, alt }: { src: unknown; alt: string | undefined }) {
  const address = typeof src === 'string' ? safeUrl(src) : '';
  return (
    <span className="inline-flex items-center gap-1.5 rounded-sm border border-dashed px-2 py-0.5 text-ink-muted text-xs">
      <ImageOff className="size-3.5" aria-hidden="true" />
      {alt || 'Image'} (not loaded)
      {address !== '' && (
        <a
          href={address}
          target="_blank"
          rel="noopener noreferrer nofollow"
          aria-label={`Open image ${alt ?? ''}`.trim()}
          className="text-accent"
        >
          <ExternalLink className="size-3.5" aria-hidden="true" />
        </a>
      )}
    </span>
  );
}
