import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { tags } from '@lezer/highlight';
import { EditorView, type Extension } from '@uiw/react-codemirror';

/** Our colour tokens cover both themes, so one editor theme is enough. */
const look = EditorView.theme({
  '&': { backgroundColor: 'var(--surface)', color: 'var(--ink)', fontSize: '0.8125rem', height: '100%' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.25rem', minHeight: 'inherit' },
  '.cm-content': { padding: '0.5rem 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 0.75rem' },
  // Chromium writes the colour of a replaced bracket into the line, where it outlives a change of the theme.
  '.cm-line[style]': { backgroundColor: 'transparent !important' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', borderRight: '1px solid var(--line)', color: 'var(--ink-subtle)' },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--hover)', color: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in oklch, var(--accent) 24%, transparent)',
  },
  '.cm-selectionMatch': { backgroundColor: 'var(--accent-soft)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)', outline: '1px solid var(--accent)' },
  '.cm-placeholder': { color: 'var(--ink-subtle)' },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--hover)',
    border: '1px solid var(--line)',
    color: 'var(--ink-muted)',
    padding: '0 0.375rem',
  },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--ink)', borderColor: 'var(--line)' },
  '.cm-panels.cm-panels-bottom': { borderTop: '1px solid var(--line)' },
  '.cm-panel.cm-search': { fontFamily: 'var(--font-sans)', padding: '0.5rem 0.75rem' },
  '.cm-textfield, .cm-button': {
    background: 'var(--surface)',
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
    color: 'var(--ink)',
    padding: '0.125rem 0.5rem',
  },
  '.cm-searchMatch': { backgroundColor: 'var(--caution-soft)', outline: '1px solid var(--caution)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--accent-soft)', outline: '1px solid var(--accent)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    color: 'var(--ink)',
    overflow: 'hidden',
  },
  '.cm-tooltip-autocomplete.cm-tooltip > ul': { fontFamily: 'var(--font-mono)', padding: '0.25rem' },
  '.cm-tooltip-autocomplete.cm-tooltip > ul > li': { borderRadius: '4px', padding: '0.25rem 0.5rem' },
  '.cm-completionIcon': { display: 'none' },
  '.cm-completionMatchedText': { color: 'var(--accent)', fontWeight: '600', textDecoration: 'none' },
  '.cm-completionDetail': { color: 'var(--ink-muted)', fontFamily: 'var(--font-sans)', fontStyle: 'normal' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent-soft)', color: 'var(--ink)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--critical)',
    textUnderlineOffset: '3px',
  },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--critical)', padding: '0.375rem 0.625rem' },
  '.cm-lint-marker-error': { content: 'none', borderRadius: '999px', backgroundColor: 'var(--critical)' },
  '.cm-lint-marker': { width: '0.5rem', height: '0.5rem', marginTop: '0.375rem' },
});

const syntax = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--positive-ink)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--caution-ink)' },
  { tag: [tags.propertyName, tags.attributeName, tags.typeName, tags.className], color: 'var(--moving-ink)' },
  { tag: [tags.comment, tags.meta], color: 'var(--ink-subtle)', fontStyle: 'italic' },
  { tag: [tags.heading, tags.strong], fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: [tags.link, tags.url], color: 'var(--accent)', textDecoration: 'underline' },
  { tag: tags.invalid, color: 'var(--critical-ink)' },
]);

/** The style of code, for both themes. */
export const codeTheme: Extension = [look, syntaxHighlighting(syntax)];

/** Makes a text focusable and gives it an accessible name. */
export const labelled = (label: string): Extension =>
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' });
