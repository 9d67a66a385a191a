import { parser } from '@prometheus-io/lezer-promql';
import { parseDuration, parseNumber, unquote } from './literals';
import { testOf } from './match';
import {
  type Aggregation,
  aggregations,
  type Binary,
  type Call,
  comparisons,
  type Expression,
  functions,
  type Grouping,
  type Matcher,
  type Matching,
  QueryError,
  type Selector,
  setOperators,
  type ValueType,
} from './syntax';

type SyntaxNode = ReturnType<typeof parser.parse>['topNode'];

/** Longer queries and deeper ones are refused: nobody writes them by hand. */
const LONGEST = 20_000;
const DEEPEST = 100;

/** A PromQL query as a tree whose types are checked. @throws QueryError with its position */
export function parsePromql(text: string): Expression {
  if (text.length > LONGEST) throw new QueryError(`a query must not be longer than ${LONGEST} characters`, LONGEST);
  const tree = parser.parse(text);
  tree.iterate({
    enter({ type, from }) {
      if (!type.isError) return;
      const found = text.slice(from).trimStart();
      throw new QueryError(found === '' ? 'unexpected end of input' : `unexpected ${clip(found)}`, from);
    },
  });
  const top = tree.topNode.firstChild;
  if (!top) throw new QueryError('no expression found in input', 0);
  return new Reader(text).expression(top, 0);
}

/** `1:5: parse error: …`, as Prometheus writes it. */
export function describeError(text: string, { at, message }: QueryError): string {
  const before = text.slice(0, at).split('\n');
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}: parse error: ${message}`;
}

const clip = (text: string) => JSON.stringify(text.length > 20 ? `${text.slice(0, 20)}…` : text);

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}

const everything: Matching = { on: false, labels: [], many: null, include: [] };
const typeNames: Readonly<Record<ValueType, string>> = {
  scalar: 'scalar',
  string: 'string',
  vector: 'instant vector',
  matrix: 'range vector',
};

class Reader {
  constructor(private readonly text: string) {}

  expression(node: SyntaxNode, depth: number): Expression {
    if (depth > DEEPEST) throw new QueryError('the query is nested too deeply', node.from);
    const [first, second] = childrenOf(node);
    switch (node.name) {
      case 'ParenExpr':
        return this.expression(this.need(first, node), depth + 1);
      case 'NumberDurationLiteral':
        return this.number(node);
      case 'StringLiteral':
        return { kind: 'string', at: node.from, type: 'string', value: unquote(this.textOf(node), node.from) };
      case 'VectorSelector':
        return this.selector(node);
      case 'MatrixSelector':
        return this.matrix(this.expression(this.need(first, node), depth + 1), this.need(second, node));
      case 'OffsetExpr':
        return this.offset(this.expression(this.need(first, node), depth + 1), node);
      case 'UnaryExpr':
        return this.unary(node, this.expression(this.need(second, node), depth + 1));
      case 'BinaryExpr':
        return this.binary(node, depth + 1);
      case 'AggregateExpr':
        return this.aggregation(node, depth + 1);
      case 'FunctionCall':
        return this.call(node, depth + 1);
      default:
        throw this.unsupported(node);
    }
  }

  private textOf({ from, to }: SyntaxNode): string {
    return this.text.slice(from, to);
  }

  private need(node: SyntaxNode | undefined, parent: SyntaxNode): SyntaxNode {
    if (!node) throw new QueryError('incomplete expression', parent.from);
    return node;
  }

  private unsupported(node: SyntaxNode): QueryError {
    return new QueryError(`${clip(this.textOf(node))} is not supported (${node.name})`, node.from);
  }

  private number(node: SyntaxNode): Expression {
    const [, sign = '', digits = ''] = /^([+-]?)\s*([\s\S]*)$/.exec(this.textOf(node)) ?? [];
    const value = parseNumber(digits, node.from);
    return { kind: 'number', at: node.from, type: 'scalar', value: sign === '-' ? -value : value };
  }

  private selector(node: SyntaxNode): Selector {
    const matchers: Matcher[] = [];
    for (const part of childrenOf(node)) {
      if (part.name === 'Identifier') matchers.push({ label: '__name__', op: '=', value: this.textOf(part) });
      else matchers.push(...childrenOf(part).map((matcher) => this.matcher(matcher)));
    }
    const names = matchers.filter(({ label }) => label === '__name__');
    if (names.length > 1 && node.firstChild?.name === 'Identifier') {
      throw new QueryError('metric name must not be set twice', node.from);
    }
    if (matchers.every(mayBeEmpty)) {
      throw new QueryError('vector selector must contain at least one non-empty matcher', node.from);
    }
    return { kind: 'selector', at: node.from, type: 'vector', matchers, offset_ms: 0, range_ms: 0 };
  }

  private matcher(node: SyntaxNode): Matcher {
    const [label, operator, value] = childrenOf(node);
    if (node.name !== 'UnquotedLabelMatcher' || !label || !operator || !value) throw this.unsupported(node);
    const op = this.textOf(operator);
    if (op !== '=' && op !== '!=' && op !== '=~' && op !== '!~') throw this.unsupported(operator);
    const matcher: Matcher = { label: this.textOf(label), op, value: unquote(this.textOf(value), value.from) };
    try {
      testOf(matcher);
    } catch (error) {
      throw new QueryError(error instanceof Error ? error.message : 'invalid regular expression', value.from);
    }
    return matcher;
  }

  private duration(node: SyntaxNode): number {
    const text = this.textOf(node);
    const duration = parseDuration(text);
    if (duration === undefined) throw this.unsupported(node);
    return duration;
  }

  private matrix(of: Expression, node: SyntaxNode): Selector {
    if (of.kind !== 'selector' || of.type !== 'vector') {
      throw new QueryError('ranges only allowed for vector selectors', node.from);
    }
    if (of.offset_ms !== 0) throw new QueryError('no offset modifiers allowed before range', node.from);
    const range_ms = this.duration(node);
    if (range_ms === 0) throw new QueryError('duration must be greater than 0', node.from);
    return { ...of, type: 'matrix', range_ms };
  }

  private offset(of: Expression, node: SyntaxNode): Selector {
    const amount = this.need(node.lastChild ?? undefined, node);
    if (of.kind !== 'selector') {
      throw new QueryError(
        'offset modifier must be preceded by an instant vector selector or range vector selector',
        node.from,
      );
    }
    if (of.offset_ms !== 0) throw new QueryError('offset may not be set multiple times', amount.from);
    const [operator, magnitude] = childrenOf(amount);
    const sign = operator?.name === 'UnaryOp' && this.textOf(operator) === '-' ? -1 : 1;
    return { ...of, offset_ms: sign * this.duration(operator?.name === 'UnaryOp' && magnitude ? magnitude : amount) };
  }

  private unary(node: SyntaxNode, of: Expression): Expression {
    if (of.type !== 'scalar' && of.type !== 'vector') {
      throw new QueryError(
        `unary expression only allowed on expressions of type scalar or instant vector, got ${JSON.stringify(typeNames[of.type])}`,
        node.from,
      );
    }
    return this.textOf(node).startsWith('-') ? { kind: 'negation', at: node.from, type: of.type, of } : of;
  }

  private binary(node: SyntaxNode, depth: number): Expression {
    const children = childrenOf(node);
    const [leftNode, operator] = children;
    const left = this.expression(this.need(leftNode, node), depth);
    const right = this.expression(this.need(children.at(-1), node), depth);
    const modifiers = children.slice(2, -1);
    const op = this.textOf(this.need(operator, node)).toLowerCase();
    if (!/^([-+*/%^]|==|!=|<=?|>=?|and|or|unless)$/.test(op)) throw this.unsupported(this.need(operator, node));
    // The grammar reads the sign of a number first; Prometheus applies it to the power.
    if (
      op === '^' &&
      leftNode?.name === 'NumberDurationLiteral' &&
      left.kind === 'number' &&
      /^[+-]/.test(this.textOf(leftNode))
    ) {
      const unsigned = { ...left, value: Math.abs(left.value) };
      const power = this.checked(node, op, unsigned, right, modifiers);
      return this.textOf(leftNode).startsWith('-')
        ? { kind: 'negation', at: node.from, type: power.type, of: power }
        : power;
    }
    return this.checked(node, op, left, right, modifiers);
  }

  private checked(node: SyntaxNode, op: string, left: Expression, right: Expression, modifiers: SyntaxNode[]): Binary {
    const bool = modifiers.some(({ name }) => name === 'BoolModifier');
    const clause = modifiers.find(({ name }) => name === 'MatchingModifierClause');
    const other = modifiers.find((modifier) => modifier.name !== 'BoolModifier' && modifier !== clause);
    if (other) throw this.unsupported(other);
    for (const side of [left, right]) {
      if (side.type !== 'scalar' && side.type !== 'vector') {
        throw new QueryError('binary expression must contain only scalar and instant vector types', side.at);
      }
    }
    const scalars = [left, right].filter(({ type }) => type === 'scalar').length;
    if (bool && !comparisons.has(op)) {
      throw new QueryError('bool modifier can only be used on comparison operators', node.from);
    }
    if (scalars === 2 && comparisons.has(op) && !bool) {
      throw new QueryError('comparisons between scalars must use BOOL modifier', node.from);
    }
    if (scalars > 0 && setOperators.has(op)) {
      throw new QueryError(`set operator ${JSON.stringify(op)} not allowed in binary scalar expression`, node.from);
    }
    if (scalars > 0 && clause)
      throw new QueryError('vector matching only allowed between instant vectors', clause.from);
    const matching = clause ? this.matching(clause) : everything;
    if (matching.many && setOperators.has(op)) {
      throw new QueryError(`no grouping allowed for ${JSON.stringify(op)} operation`, node.from);
    }
    return {
      kind: 'binary',
      at: node.from,
      type: scalars === 2 ? 'scalar' : 'vector',
      op,
      bool,
      matching,
      left,
      right,
    };
  }

  private matching(clause: SyntaxNode): Matching {
    const [kind, labels, group, include] = childrenOf(clause);
    const on = kind?.name === 'On';
    const matching: Matching = {
      on,
      labels: labels ? this.labels(labels) : [],
      many: group === undefined ? null : group.name === 'GroupLeft' ? 'left' : 'right',
      include: include ? this.labels(include) : [],
    };
    const both = on ? matching.include.find((label) => matching.labels.includes(label)) : undefined;
    if (both !== undefined) {
      throw new QueryError(`label ${JSON.stringify(both)} must not occur in ON and GROUP clause at once`, clause.from);
    }
    return matching;
  }

  private labels(node: SyntaxNode): string[] {
    return childrenOf(node).map((label) => {
      if (label.name !== 'LabelName') throw this.unsupported(label);
      return this.textOf(label);
    });
  }

  private aggregation(node: SyntaxNode, depth: number): Aggregation {
    const children = childrenOf(node);
    const operator = this.need(children[0], node);
    const op = this.textOf(operator).toLowerCase();
    const hasParameter = aggregations.get(op);
    if (hasParameter === undefined) throw this.unsupported(operator);
    const modifier = children.find(({ name }) => name === 'AggregateModifier');
    const body = this.need(
      children.find(({ name }) => name === 'FunctionCallBody'),
      node,
    );
    const args = childrenOf(body).map((arg) => this.expression(arg, depth));
    if (args.length !== (hasParameter ? 2 : 1)) {
      throw new QueryError(`wrong number of arguments for aggregate expression ${op}`, body.from);
    }
    const [parameter, of] = hasParameter ? args : [null, args[0]];
    if (!of) throw new QueryError('no arguments for aggregate expression provided', body.from);
    this.expect(of, 'vector', `aggregation expression`);
    if (parameter) this.expect(parameter, 'scalar', `aggregation parameter`);
    return {
      kind: 'aggregation',
      at: node.from,
      type: 'vector',
      op,
      grouping: modifier ? this.grouping(modifier) : { without: false, labels: [] },
      parameter: parameter ?? null,
      of,
    };
  }

  private grouping(modifier: SyntaxNode): Grouping {
    const [kind, labels] = childrenOf(modifier);
    return { without: kind?.name === 'Without', labels: labels ? this.labels(labels) : [] };
  }

  private call(node: SyntaxNode, depth: number): Call {
    const [identifier, body] = childrenOf(node);
    const name = this.textOf(this.need(identifier, node));
    const signature = functions.get(name);
    if (!signature) throw this.unsupported(this.need(identifier, node));
    const args = childrenOf(this.need(body, node)).map((arg) => this.expression(arg, depth));
    const least = signature.takes.length - (signature.optional ?? 0);
    if (args.length < least || args.length > signature.takes.length) {
      throw new QueryError(
        `wrong number of arguments in call to ${JSON.stringify(name)}, got ${args.length}`,
        node.from,
      );
    }
    for (const [index, arg] of args.entries()) {
      this.expect(arg, signature.takes[index] ?? 'scalar', `call to function ${JSON.stringify(name)}`);
    }
    return { kind: 'call', at: node.from, type: signature.gives, name, args };
  }

  private expect(expression: Expression, type: ValueType, where: string): void {
    if (expression.type === type) return;
    throw new QueryError(
      `expected type ${typeNames[type]} in ${where}, got ${typeNames[expression.type]}`,
      expression.at,
    );
  }
}

const mayBeEmpty = (matcher: Matcher) => testOf(matcher)('');
