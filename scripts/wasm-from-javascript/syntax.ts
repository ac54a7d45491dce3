/** Small questions about the syntax of a program. */
import ts from "typescript5";

/** Without the parentheses around it. */
export function bare(node: ts.Expression): ts.Expression {
  let inner = node;
  while (ts.isParenthesizedExpression(inner)) inner = inner.expression;
  return inner;
}

/** The value of a number as it is written, with its sign; null: it is no such. */
export function numberOf(node: ts.Expression): number | null {
  const expression = bare(node);
  if (ts.isNumericLiteral(expression)) return Number(expression.text);
  if (ts.isIdentifier(expression)) {
    if (expression.text === "Infinity") return Number.POSITIVE_INFINITY;
    return expression.text === "NaN" ? Number.NaN : null;
  }
  if (!ts.isPrefixUnaryExpression(expression) || expression.operator !== ts.SyntaxKind.MinusToken)
    return null;
  const value = numberOf(expression.operand);
  return value === null ? null : -value;
}

export const isInteger = (literal: ts.NumericLiteral) => Number.isInteger(Number(literal.text));

const COMPARISONS = new Set([
  ts.SyntaxKind.LessThanToken,
  ts.SyntaxKind.LessThanEqualsToken,
  ts.SyntaxKind.GreaterThanToken,
  ts.SyntaxKind.GreaterThanEqualsToken,
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
]);

export const isComparison = (kind: ts.SyntaxKind) => COMPARISONS.has(kind);
