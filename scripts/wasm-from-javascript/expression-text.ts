/** The text of expressions: as a value of a type, as a condition, or for their effect alone. */
import ts from "typescript5";
import type { Program, Subroutine, Target } from "./program.ts";
import { bare, isComparison, numberOf } from "./syntax.ts";
import { isStatement, type Type, type Types, wantedOf } from "./types.ts";

const { SyntaxKind } = ts;
const INTEGER_INSTRUCTIONS: Partial<Record<ts.SyntaxKind, string>> = {
  [SyntaxKind.BarToken]: "or",
  [SyntaxKind.AmpersandToken]: "and",
  [SyntaxKind.CaretToken]: "xor",
  [SyntaxKind.LessThanLessThanToken]: "shl",
  [SyntaxKind.GreaterThanGreaterThanToken]: "shr_s",
  [SyntaxKind.GreaterThanGreaterThanGreaterThanToken]: "shr_u",
  [SyntaxKind.PlusToken]: "add",
  [SyntaxKind.MinusToken]: "sub",
};
const FLOAT_INSTRUCTIONS: Partial<Record<ts.SyntaxKind, string>> = {
  [SyntaxKind.PlusToken]: "add",
  [SyntaxKind.MinusToken]: "sub",
  [SyntaxKind.AsteriskToken]: "mul",
  [SyntaxKind.SlashToken]: "div",
};
const COMPARISON_INSTRUCTIONS: Partial<Record<ts.SyntaxKind, string>> = {
  [SyntaxKind.LessThanToken]: "lt",
  [SyntaxKind.LessThanEqualsToken]: "le",
  [SyntaxKind.GreaterThanToken]: "gt",
  [SyntaxKind.GreaterThanEqualsToken]: "ge",
  [SyntaxKind.EqualsEqualsToken]: "eq",
  [SyntaxKind.ExclamationEqualsToken]: "ne",
};
const MATH_INSTRUCTIONS: Readonly<Record<string, string>> = {
  abs: "abs",
  min: "min",
  max: "max",
  floor: "floor",
  ceil: "ceil",
  trunc: "trunc",
  sqrt: "sqrt",
};

export class ExpressionText {
  constructor(
    private readonly inside: Subroutine,
    private readonly program: Program,
    private readonly types: Types,
  ) {}

  /** True where it is not zero. */
  condition(node: ts.Expression): string {
    return this.value(node, "i32");
  }

  /** Its answer is not taken. */
  effect(node: ts.Expression): string {
    const expression = bare(node);
    if (ts.isBinaryExpression(expression)) {
      const { left, operatorToken, right } = expression;
      if (operatorToken.kind === SyntaxKind.CommaToken)
        return `${this.effect(left)}\n${this.effect(right)}`;
      if (operatorToken.kind === SyntaxKind.EqualsToken) return this.#assign(left, right, "set");
    }
    if (ts.isCallExpression(expression)) {
      const answer = this.#answerOf(this.program.called(expression, this.inside), expression);
      const call = this.#call(expression);
      return answer === null ? call : `(drop ${call})`;
    }
    return `(drop ${this.value(expression, this.#typeOf(expression))})`;
  }

  value(node: ts.Expression, wanted: Type): string {
    const expression = bare(node);
    const number = numberOf(expression);
    if (number !== null) return constant(number, wanted);
    const type = this.#typeOf(expression);
    // Stored as a double: JavaScript turns an integer into one by itself.
    if (type === "i32" && wanted !== "i32") return this.#toFloat(expression, wanted);
    if (type !== wanted)
      throw new Error(`${type} where ${wanted} is wanted: ${expression.getText().slice(0, 120)}`);
    if (ts.isIdentifier(expression)) return this.#get(expression.text);
    if (ts.isElementAccessExpression(expression)) return this.#load(expression);
    if (ts.isConditionalExpression(expression)) {
      const { condition, whenTrue, whenFalse } = expression;
      const [then, otherwise] = [whenTrue, whenFalse].map((one) => this.value(one, type));
      return `(if (result ${type}) ${this.condition(condition)} (then ${then}) (else ${otherwise}))`;
    }
    if (ts.isPrefixUnaryExpression(expression)) return this.#unary(expression, type);
    if (ts.isBinaryExpression(expression)) return this.#binary(expression, type);
    if (ts.isCallExpression(expression)) return this.#call(expression);
    throw new Error(`no expression of wasm2js: ${expression.getText().slice(0, 80)}`);
  }

  #typeOf(node: ts.Expression): Type {
    return this.types.of(node, this.inside) ?? "i32";
  }

  #get(name: string): string {
    return `(${this.inside.variables.has(name) ? "local" : "global"}.get $${name})`;
  }

  #assign(left: ts.Expression, right: ts.Expression, how: "set" | "tee"): string {
    const target = bare(left);
    if (ts.isElementAccessExpression(target)) {
      if (how === "tee") throw new Error(`a store is taken for a value: ${left.parent.getText()}`);
      const { type, bytes } = this.program.heap(target, this.inside);
      const instruction = `${type}.store${type === "i32" && bytes < 4 ? bytes * 8 : ""}`;
      return `(${instruction} ${this.#address(target)} ${this.value(right, type)})`;
    }
    const name = target.getText();
    const value = this.value(right, this.#typeOf(target));
    if (this.inside.variables.has(name)) return `(local.${how} $${name} ${value})`;
    const set = `(global.set $${name} ${value})`;
    return how === "set" ? set : `(block (result i32) ${set} (global.get $${name}))`;
  }

  #load(node: ts.ElementAccessExpression): string {
    const { type, bytes, isUnsigned } = this.program.heap(node, this.inside);
    const narrow = type === "i32" && bytes < 4 ? `${bytes * 8}_${isUnsigned ? "u" : "s"}` : "";
    return `(${type}.load${narrow} ${this.#address(node)})`;
  }

  /** `x>>2` counts in fours; a number does, too. */
  #address(node: ts.ElementAccessExpression): string {
    const { bytes } = this.program.heap(node, this.inside);
    const index = bare(node.argumentExpression);
    const number = numberOf(index);
    if (number !== null) return constant(number * bytes, "i32");
    if (bytes === 1) return this.value(index, "i32");
    if (
      ts.isBinaryExpression(index) &&
      index.operatorToken.kind === SyntaxKind.GreaterThanGreaterThanToken &&
      numberOf(index.right) === Math.log2(bytes)
    )
      return this.value(index.left, "i32");
    throw new Error(`no address: ${node.getText()}`);
  }

  #unary({ operator, operand }: ts.PrefixUnaryExpression, type: Type): string {
    if (operator === SyntaxKind.PlusToken) return this.#toFloat(operand, "f64");
    if (operator === SyntaxKind.ExclamationToken) return `(i32.eqz ${this.condition(operand)})`;
    if (operator === SyntaxKind.MinusToken) {
      if (type === "i32") return `(i32.sub (i32.const 0) ${this.value(operand, type)})`;
      return `(${type}.neg ${this.value(operand, type)})`;
    }
    if (operator !== SyntaxKind.TildeToken) throw new Error(`operator before ${operand.getText()}`);
    const inner = bare(operand);
    if (ts.isPrefixUnaryExpression(inner) && inner.operator === SyntaxKind.TildeToken) {
      const from = this.#typeOf(inner.operand);
      const value = this.value(inner.operand, from);
      return from === "i32" ? value : `(i32.wrap_i64 (i64.trunc_sat_${from}_s ${value}))`;
    }
    return `(i32.xor ${this.value(operand, "i32")} (i32.const -1))`;
  }

  #binary(expression: ts.BinaryExpression, type: Type): string {
    const { left, operatorToken, right } = expression;
    const { kind } = operatorToken;
    if (kind === SyntaxKind.CommaToken)
      return `(block (result ${type}) ${this.effect(left)} ${this.value(right, type)})`;
    if (kind === SyntaxKind.EqualsToken) return this.#assign(left, right, "tee");
    if (isComparison(kind)) return this.#comparison(left, kind, right);
    if (type !== "i32") {
      const instruction = FLOAT_INSTRUCTIONS[kind];
      return `(${type}.${instruction} ${this.value(left, type)} ${this.value(right, type)})`;
    }
    const a = this.value(left, "i32");
    const addsNothing =
      kind === SyntaxKind.BarToken || kind === SyntaxKind.GreaterThanGreaterThanGreaterThanToken;
    if (addsNothing && numberOf(right) === 0) return a;
    const b = this.value(right, "i32");
    if (kind === SyntaxKind.SlashToken || kind === SyntaxKind.PercentToken) {
      const sign = this.#sign(left, right);
      const name = kind === SyntaxKind.SlashToken ? "div" : "rem";
      const divisor = numberOf(right);
      const isSafe = divisor !== null && divisor !== 0 && divisor !== -1;
      return `(${isSafe ? "i32." : "call $"}${name}_${sign} ${a} ${b})`;
    }
    const instruction = INTEGER_INSTRUCTIONS[kind];
    if (!instruction) throw new Error(`operator in ${expression.getText()}`);
    return `(i32.${instruction} ${a} ${b})`;
  }

  #comparison(left: ts.Expression, kind: ts.SyntaxKind, right: ts.Expression): string {
    const { inside, types } = this;
    const type = types.of(left, inside) ?? types.of(right, inside) ?? "i32";
    const name = COMPARISON_INSTRUCTIONS[kind];
    const isOrdered = name !== "eq" && name !== "ne";
    const sign = type === "i32" && isOrdered ? `_${this.#sign(left, right)}` : "";
    return `(${type}.${name}${sign} ${this.value(left, type)} ${this.value(right, type)})`;
  }

  /** Two integers are taken for unsigned when one is said to be and the other cannot be negative. */
  #sign(left: ts.Expression, right: ts.Expression): "s" | "u" {
    const signs = [left, right].map((one) => this.#signOf(one));
    if (!signs.includes("unsigned")) return "s";
    if (signs.includes("signed")) throw new Error(`both signs: ${left.parent.getText()}`);
    return "u";
  }

  #signOf(node: ts.Expression): "signed" | "unsigned" | "positive" {
    const expression = bare(node);
    const number = numberOf(expression);
    if (number !== null)
      return number >= 2 ** 31 ? "unsigned" : number >= 0 ? "positive" : "signed";
    if (ts.isElementAccessExpression(expression)) {
      const { bytes, isUnsigned } = this.program.heap(expression, this.inside);
      if (!isUnsigned) return "signed";
      return bytes === 4 ? "unsigned" : "positive";
    }
    if (ts.isConditionalExpression(expression)) {
      const [then, otherwise] = [expression.whenTrue, expression.whenFalse].map((one) =>
        this.#signOf(one),
      );
      if (then === otherwise) return then ?? "signed";
      return then === "signed" || otherwise === "signed" ? "signed" : "unsigned";
    }
    if (!ts.isBinaryExpression(expression)) return "signed";
    const { kind } = expression.operatorToken;
    if (isComparison(kind)) return "positive";
    const by = numberOf(expression.right);
    if (kind === SyntaxKind.GreaterThanGreaterThanGreaterThanToken)
      return by !== null && by > 0 ? "positive" : "unsigned";
    if (kind === SyntaxKind.AmpersandToken && by !== null && by >= 0) return "positive";
    return "signed";
  }

  /** `+x` and `Math.fround(x)`: of an integer, of the other float, or of the same. */
  #toFloat(operand: ts.Expression, to: "f32" | "f64"): string {
    const number = numberOf(operand);
    if (number !== null) return constant(number, to);
    const from = this.types.of(operand, this.inside);
    if (from === null && to === "f32") return this.value(operand, "f32");
    const type = from ?? "i32";
    const value = this.value(operand, type);
    if (type === to) return value;
    if (type === "i32") {
      const sign = this.#signOf(operand) === "unsigned" ? "u" : "s";
      return `(${to}.convert_i32_${sign} ${value})`;
    }
    return to === "f64" ? `(f64.promote_f32 ${value})` : `(f32.demote_f64 ${value})`;
  }

  #call(call: ts.CallExpression): string {
    const target = this.program.called(call, this.inside);
    const [first, second] = call.arguments;
    if (target.kind === "math") return this.#math(target.name, call.arguments);
    if (target.kind === "memory") {
      if (target.name === "trap") return "unreachable";
      return `(memory.${target.name} ${call.arguments.map((one) => this.value(one, "i32")).join(" ")})`;
    }
    if (target.kind === "scratch") return this.#scratch(target.name, first, second);
    if (target.kind === "table") {
      const types = call.arguments.map((argument) => this.#typeOf(argument));
      const values = call.arguments.map((argument, index) =>
        this.value(argument, types[index] ?? "i32"),
      );
      const answer = wantedOf(call);
      const signature = `${types.map((type) => `(param ${type})`).join(" ")} ${answer ? `(result ${answer})` : ""}`;
      return `(call_indirect ${signature} ${values.join(" ")} ${this.value(target.index, "i32")})`;
    }
    const values = target.signature.parameters.map(({ type }, index) => {
      const argument = call.arguments[index];
      if (!argument) throw new Error(`too few arguments: ${call.getText()}`);
      return this.value(argument, type ?? "i32");
    });
    return `(call $${target.name} ${values.join(" ")})`;
  }

  #math(name: string, values: readonly ts.Expression[]): string {
    const [first, second] = values;
    if (!first) throw new Error(`${name} of nothing`);
    if (name === "fround") return this.#toFloat(first, "f32");
    if (name === "clz32") return `(i32.clz ${this.value(first, "i32")})`;
    if (name === "imul" && second)
      return `(i32.mul ${this.value(first, "i32")} ${this.value(second, "i32")})`;
    const instruction = MATH_INSTRUCTIONS[name];
    const type = values.map((one) => this.types.of(one, this.inside)).find((one) => one !== null);
    if (!instruction || !type) throw new Error(`no instruction for ${name}`);
    return `(${type}.${instruction} ${values.map((one) => this.value(one, type)).join(" ")})`;
  }

  #scratch(name: string, first?: ts.Expression, second?: ts.Expression): string {
    const place = first ? numberOf(first) : null;
    switch (name) {
      case "load_i32":
        return `(global.get $scratch${place})`;
      case "store_i32":
        return `(global.set $scratch${place} ${second ? this.value(second, "i32") : ""})`;
      case "load_f64":
        return "(call $scratch_f64)";
      case "store_f64":
        return `(call $keep_f64 ${first ? this.value(first, "f64") : ""})`;
      default:
        return `(global.set $scratch2 (i32.reinterpret_f32 ${first ? this.value(first, "f32") : ""}))`;
    }
  }

  /** Null: it has none. */
  #answerOf(target: Target, call: ts.CallExpression): Type | null {
    if (target.kind === "table") return isStatement(call) ? null : wantedOf(call);
    if (target.kind === "scratch") return target.answers;
    if (target.kind === "memory") return target.name === "trap" ? null : "i32";
    if (target.kind === "math") return this.#typeOf(call);
    return target.signature.answers ? (target.signature.answer.type ?? "i32") : null;
  }
}

function constant(value: number, type: Type): string {
  if (type === "i32") return `(i32.const ${value | 0})`;
  if (Number.isNaN(value)) return `(${type}.const nan)`;
  if (!Number.isFinite(value)) return `(${type}.const ${value < 0 ? "-inf" : "inf"})`;
  return `(${type}.const ${Object.is(value, -0) ? "-0" : value})`;
}
