/**
 * Which of WebAssembly's numbers each variable, parameter and answer of the functions is. JavaScript does not say
 * it, its operators do: what is shifted is an integer, what is stored with `N[…]` is a double. What one place tells
 * is carried to all others until nothing new is learnt; what nobody tells is an integer.
 */
import ts from "typescript5";
import type { Program, Subroutine } from "./program.ts";
import { bare, isComparison, isInteger, numberOf } from "./syntax.ts";

/** Integer, float of 32 bits, float of 64 bits. */
export type Type = "i32" | "f32" | "f64";

export interface Slot {
  type: Type | null;
}

const INTEGER_OPERATORS = new Set([
  ts.SyntaxKind.BarToken,
  ts.SyntaxKind.AmpersandToken,
  ts.SyntaxKind.CaretToken,
  ts.SyntaxKind.LessThanLessThanToken,
  ts.SyntaxKind.GreaterThanGreaterThanToken,
  ts.SyntaxKind.GreaterThanGreaterThanGreaterThanToken,
]);
const ARITHMETIC = new Set([
  ts.SyntaxKind.PlusToken,
  ts.SyntaxKind.MinusToken,
  ts.SyntaxKind.AsteriskToken,
  ts.SyntaxKind.SlashToken,
  ts.SyntaxKind.PercentToken,
]);
/** Of the type of what they are given. */
const FLOAT_FUNCTIONS = new Set(["abs", "min", "max", "floor", "ceil", "trunc", "sqrt"]);

export class Types {
  #hasLearnt = false;

  constructor(private readonly program: Program) {}

  /** Learns all there is to learn. */
  infer(): void {
    do {
      this.#hasLearnt = false;
      for (const subroutine of this.program.subroutines.values())
        this.#visit(subroutine.body, subroutine);
    } while (this.#hasLearnt);
  }

  /** Null: a number that fits any, or nothing is known yet. */
  of(node: ts.Expression, inside: Subroutine): Type | null {
    const { program } = this;
    const expression = bare(node);
    if (ts.isNumericLiteral(expression)) return isInteger(expression) ? null : "f64";
    if (ts.isIdentifier(expression)) return program.variable(expression.text, inside)?.type ?? null;
    if (ts.isElementAccessExpression(expression)) return program.heap(expression, inside).type;
    if (ts.isConditionalExpression(expression))
      return this.of(expression.whenTrue, inside) ?? this.of(expression.whenFalse, inside);
    if (ts.isPrefixUnaryExpression(expression)) {
      if (expression.operator === ts.SyntaxKind.PlusToken) return "f64";
      if (expression.operator === ts.SyntaxKind.MinusToken)
        return this.of(expression.operand, inside);
      return "i32";
    }
    if (ts.isBinaryExpression(expression)) return this.#ofBinary(expression, inside);
    if (ts.isCallExpression(expression)) return this.#ofCall(expression, inside);
    throw new Error(`no type for ${expression.getText()}`);
  }

  #ofBinary(expression: ts.BinaryExpression, inside: Subroutine): Type | null {
    const { left, operatorToken, right } = expression;
    const { kind } = operatorToken;
    if (kind === ts.SyntaxKind.CommaToken) return this.of(right, inside);
    if (kind === ts.SyntaxKind.EqualsToken || ARITHMETIC.has(kind))
      return this.of(left, inside) ?? this.of(right, inside);
    return "i32";
  }

  #ofCall(call: ts.CallExpression, inside: Subroutine): Type | null {
    const target = this.program.called(call, inside);
    switch (target.kind) {
      case "math":
        if (target.name === "fround") return "f32";
        if (!FLOAT_FUNCTIONS.has(target.name)) return "i32";
        return firstKnown(call.arguments.map((argument) => this.of(argument, inside)));
      case "scratch":
        return target.answers;
      case "memory":
        return "i32";
      case "table":
        return wantedOf(call);
      default:
        return target.signature.answer.type;
    }
  }

  #visit(node: ts.Node, inside: Subroutine): void {
    ts.forEachChild(node, (child) => this.#visit(child, inside));
    if (ts.isBinaryExpression(node)) this.#visitBinary(node, inside);
    else if (ts.isCallExpression(node)) this.#visitCall(node, inside);
    else if (ts.isReturnStatement(node) && node.expression) {
      const { answer } = inside.signature;
      inside.signature.answers = true;
      this.#learn(answer, this.of(node.expression, inside));
      this.#tell(node.expression, answer.type, inside);
    } else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.TildeToken) {
      const doubled = bare(node.operand);
      const isTruncation =
        ts.isPrefixUnaryExpression(doubled) && doubled.operator === ts.SyntaxKind.TildeToken;
      const parent = parentOf(node);
      const isInner =
        ts.isPrefixUnaryExpression(parent) && parent.operator === ts.SyntaxKind.TildeToken;
      if (!isTruncation && !isInner) this.#tell(node.operand, "i32", inside);
    } else if (ts.isConditionalExpression(node)) {
      const type = this.of(node, inside);
      this.#tell(node.whenTrue, type, inside);
      this.#tell(node.whenFalse, type, inside);
    }
  }

  #visitBinary(node: ts.BinaryExpression, inside: Subroutine): void {
    const { left, operatorToken, right } = node;
    const { kind } = operatorToken;
    if (kind === ts.SyntaxKind.CommaToken) return;
    const isShared =
      kind === ts.SyntaxKind.EqualsToken || ARITHMETIC.has(kind) || isComparison(kind);
    if (!isShared && !INTEGER_OPERATORS.has(kind)) throw new Error(`operator in ${node.getText()}`);
    const type = isShared ? (this.of(left, inside) ?? this.of(right, inside)) : "i32";
    this.#tell(left, type, inside);
    this.#tell(right, type, inside);
  }

  #visitCall(call: ts.CallExpression, inside: Subroutine): void {
    const target = this.program.called(call, inside);
    if (target.kind === "math") {
      const isInteger = target.name === "imul" || target.name === "clz32";
      const type = isInteger
        ? "i32"
        : target.name === "fround"
          ? null
          : firstKnown(call.arguments.map((argument) => this.of(argument, inside)));
      for (const argument of call.arguments) this.#tell(argument, type, inside);
    } else if (target.kind === "function" || target.kind === "import") {
      call.arguments.forEach((argument, index) => {
        target.signature.parameters[index] ??= { type: null };
        const parameter = target.signature.parameters[index];
        this.#learn(parameter, this.of(argument, inside));
        this.#tell(argument, parameter.type, inside);
      });
      if (target.kind === "import" && !isStatement(call)) {
        target.signature.answers = true;
        this.#learn(target.signature.answer, wantedOf(call));
      }
    } else if (target.kind === "scratch") {
      const last = call.arguments.at(-1);
      if (last && target.takes) this.#tell(last, target.takes, inside);
    }
  }

  /** That this expression is of a type. */
  #tell(node: ts.Expression, type: Type | null, inside: Subroutine): void {
    if (type === null) return;
    const expression = bare(node);
    if (ts.isIdentifier(expression)) {
      const slot = this.program.variable(expression.text, inside);
      if (slot) this.#learn(slot, type);
    } else if (ts.isConditionalExpression(expression)) {
      this.#tell(expression.whenTrue, type, inside);
      this.#tell(expression.whenFalse, type, inside);
    } else if (ts.isBinaryExpression(expression)) {
      const { kind } = expression.operatorToken;
      if (
        kind !== ts.SyntaxKind.CommaToken &&
        kind !== ts.SyntaxKind.EqualsToken &&
        !ARITHMETIC.has(kind)
      )
        return;
      if (kind !== ts.SyntaxKind.CommaToken) this.#tell(expression.left, type, inside);
      this.#tell(expression.right, type, inside);
    } else if (ts.isPrefixUnaryExpression(expression)) {
      if (expression.operator === ts.SyntaxKind.MinusToken)
        this.#tell(expression.operand, type, inside);
    } else if (ts.isCallExpression(expression)) {
      const target = this.program.called(expression, inside);
      if (target.kind === "function") this.#learn(target.signature.answer, type);
    }
  }

  #learn(slot: Slot, type: Type | null): void {
    if (type === null || slot.type === type) return;
    if (slot.type !== null) throw new Error(`both ${slot.type} and ${type}`);
    slot.type = type;
    this.#hasLearnt = true;
  }
}

const firstKnown = (types: readonly (Type | null)[]) => types.find((type) => type !== null) ?? null;

function parentOf(node: ts.Node): ts.Node {
  let { parent } = node;
  while (ts.isParenthesizedExpression(parent)) parent = parent.parent;
  return parent;
}

/** Of a call: nobody takes its answer. */
export function isStatement(call: ts.CallExpression): boolean {
  const parent = parentOf(call);
  if (ts.isExpressionStatement(parent)) return true;
  return (
    ts.isBinaryExpression(parent) &&
    parent.operatorToken.kind === ts.SyntaxKind.CommaToken &&
    bare(parent.left) === call
  );
}

/** By what stands around a call: `f()|0`, `+f()`, `P(f())`; null: nobody takes its answer. */
export function wantedOf(call: ts.CallExpression): Type | null {
  const parent = parentOf(call);
  if (isStatement(call)) return null;
  if (ts.isPrefixUnaryExpression(parent) && parent.operator === ts.SyntaxKind.PlusToken)
    return "f64";
  if (ts.isBinaryExpression(parent) && numberOf(parent.right) === 0) return "i32";
  if (ts.isCallExpression(parent)) return "f32";
  throw new Error(`the answer's type does not show in ${parent.getText()}`);
}
