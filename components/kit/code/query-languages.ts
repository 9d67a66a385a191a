import { LanguageSupport, LRLanguage } from '@codemirror/language';
import { parser as logqlParser } from '@grafana/lezer-logql';
import { styleTags, tags } from '@lezer/highlight';
import { parser as promqlParser } from '@prometheus-io/lezer-promql';

// The grammar of LogQL comes without colours, that of PromQL with its own.
const logqlColors = styleTags({
  LineComment: tags.comment,
  'Identifier LabelName': tags.propertyName,
  String: tags.string,
  'Number Duration Bytes Range': tags.number,
  'RangeOp VectorOp ConvOp LabelAggOp': tags.keyword,
  'By Without On Ignoring GroupLeft GroupRight Bool Offset And Or Unless': tags.keyword,
  'Json Logfmt Regexp Pattern Unpack Unwrap LineFormat LabelFormat Decolorize Drop Keep': tags.keyword,
  'PipeExact PipeMatch PipePattern Npa Eq Neq Re Nre Gtr Gte Lss Lte Eql Add Sub Mul Div Mod Pow Pipe': tags.operator,
});

export const logql = new LanguageSupport(
  LRLanguage.define({ name: 'logql', parser: logqlParser.configure({ props: [logqlColors] }) }),
);
export const promql = new LanguageSupport(LRLanguage.define({ name: 'promql', parser: promqlParser }));
