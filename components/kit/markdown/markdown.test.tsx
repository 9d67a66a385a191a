import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import MarkdownView from './markdown-view';
import { completed, isLocalImage, safeUrl } from './safe-markdown';

const render = (text: string) => renderToStaticMarkup(<MarkdownView text={text} />);
const attributes = (html: string, name: string) =>
  [...html.matchAll(new RegExp(`${name}="([^"]*)"`, 'g'))].map(([, value]) => value);

describe('hostile Markdown', () => {
  test.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<iframe src="https://evil.example"></iframe>',
    'text <b onclick="alert(1)">bold</b>',
    '<a href="javascript:alert(1)">link</a>',
    '<style>body{display:none}</style>',
    '<svg><animate onbegin=alert(1) attributeName=x></svg>',
  ])('HTML is not rendered: %s', (text) => {
    expect(render(text)).not.toMatch(/<(script|img|iframe|b|a|style|svg)[\s>]|on\w+=/);
  });

  test.each([
    '[link](javascript:alert(1))',
    '[link](JaVaScRiPt:alert(1))',
    '[link](java&#10;script:alert(1))',
    '[link](&#x6A;avascript:alert(1))',
    '[link](vbscript:x)',
    '[link](data:text/html;base64,PHNjcmlwdD4=)',
    '[link](file:///etc/passwd)',
    '[link](//evil.example)',
    '<javascript:alert(1)>',
    '[link][1]\n\n[1]: javascript:alert(1)',
  ])('no link runs a script or uses another protocol: %s', (text) => {
    expect(attributes(render(text), 'href')).toEqual([]);
  });

  test.each([
    '![pixel](https://evil.example/p.png)',
    '![pixel](//evil.example/p.png)',
    '![x](data:image/svg+xml;base64,PHN2Zy8+)',
    '![x](javascript:alert(1))',
    '![pixel][1]\n\n[1]: https://evil.example/p.png',
    '[![pixel](https://evil.example/p.png)](https://example.org)',
  ])('no image of another server is loaded: %s', (text) => {
    const html = render(text);
    expect(html).not.toContain('<img');
    expect(html).not.toContain('url(');
  });

  test('links open in a new tab without a referrer', () => {
    const html = render('[docs](https://example.org/a?b=1)');
    expect(attributes(html, 'href')).toEqual(['https://example.org/a?b=1']);
    expect(attributes(html, 'rel')).toEqual(['noopener noreferrer nofollow']);
  });
});

test('an embedded image is shown', () => {
  expect(isLocalImage('data:image/png;base64,iVBORw0KGgo=')).toBe(true);
  expect(render('![dot](data:image/png;base64,iVBORw0KGgo=)')).toContain('<img');
});

test('GitHub tables, lists and code are rendered', () => {
  const html = render('| a | b |\n| - | - |\n| 1 | 2 |\n\n- [x] done\n\n```ts\nconst a = "<b>";\n```\n\n~~old~~');
  expect(html).toContain('<td>1</td>');
  expect(html).toContain('type="checkbox"');
  expect(html).toContain('const a = &quot;&lt;b&gt;&quot;;');
  expect(html).toContain('<del>old</del>');
});

test.each([
  ['https://example.org', 'https://example.org'],
  ['mailto:a@example.org', 'mailto:a@example.org'],
  ['#part', '#part'],
  ['/relative', ''],
  ['javascript:alert(1)', ''],
])('%s leads to %j', (url, safe) => expect(safeUrl(url)).toBe(safe));

describe('a streaming text', () => {
  test.each([
    ['```ts\nconst a', '```ts\nconst a\n```'],
    ['~~~\ntext\n', '~~~\ntext\n~~~'],
    ['use `npm', 'use `npm`'],
    ['this is **bold', 'this is **bold**'],
    ['see [the docs](https://exa', 'see '],
    ['see [the do', 'see '],
    ['whole **text** and `code`', 'whole **text** and `code`'],
    ['```\na\n```\nafter', '```\na\n```\nafter'],
  ])('%j is shown as %j', (text, shown) => expect(completed(text)).toBe(shown));

  test('every prefix of a text can be rendered', () => {
    const text =
      '# Title\n\nSome **bold** and `code` [link](https://example.org).\n\n```sh\nls -l\n```\n\n| a |\n| - |\n| 1 |\n';
    for (let end = 0; end <= text.length; end += 1) {
      expect(() => renderToStaticMarkup(<MarkdownView text={text.slice(0, end)} streaming />)).not.toThrow();
    }
  });
});
