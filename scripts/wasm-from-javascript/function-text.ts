/** The text of one function, statement by statement. */
import ts from "typescript5";
import { ExpressionText } from "./expression-text.ts";
import type { Program, Subroutine } from "./program.ts";
import { bare, numberOf } from "./syntax.ts";
import type { Types } from "./types.ts";

/** A jump over more values than this is made of comparisons. */
const TABLE_MAX = 2_048;

interface Jump {
  readonly label: string | null;
  /** Where `break` goes. */
  readonly end: string;
  /** Where `continue` goes; null: it is no loop. */
  readonly again: string | null;
  /** A `break` without a label leaves it. */
  readonly isPlain: boolean;
}

export function functionText(subroutine: Subroutine, program: Program, types: Types): string {
  return new FunctionText(subroutine, program, types).text();
}

class FunctionText {
  readonly #expressions: ExpressionText;
  readonly #jumps: Jump[] = [];
  #jumpsMade = 0;

  constructor(
    private readonly subroutine: Subroutine,
    program: Program,
    types: Types,
  ) {
    this.#expressions = new ExpressionText(subroutine, program, types);
  }

  text(): string {
    const { name, signature, variables, body } = this.subroutine;
    const all = [...variables];
    const parameters = all.slice(0, signature.parameters.length);
    const locals = all.slice(signature.parameters.length);
    const declared = (kind: string, list: typeof all) =>
      list.map(([variable, { type }]) => `(${kind} $${variable} ${type ?? "i32"})`).join(" ");
    const answer = signature.answer.type ?? "i32";
    return [
      `(func $${name} ${declared("param", parameters)} ${signature.answers ? `(result ${answer})` : ""}`,
      declared("local", locals),
      this.#all(body.statements),
      signature.answers ? `(${answer}.const 0))` : ")",
    ].join("\n");
  }

  #all(statements: readonly ts.Statement[]): string {
    return statements.map((statement) => this.#statement(statement)).join("\n");
  }

  #statement(node: ts.Statement, label: string | null = null): string {
    if (ts.isExpressionStatement(node)) return this.#expressions.effect(node.expression);
    if (ts.isBlock(node))
      return label === null ? this.#all(node.statements) : this.#block(node, label);
    if (ts.isLabeledStatement(node)) return this.#statement(node.statement, node.label.text);
    if (ts.isIfStatement(node)) return this.#if(node);
    if (ts.isWhileStatement(node)) return this.#while(node, label);
    if (ts.isDoStatement(node)) return this.#doWhile(node, label);
    if (ts.isSwitchStatement(node)) return this.#switch(node, label);
    if (ts.isReturnStatement(node)) return this.#return(node);
    if (ts.isBreakStatement(node)) return `(br ${this.#jump(node.label?.text).end})`;
    if (ts.isContinueStatement(node)) return `(br ${this.#loop(node.label?.text)})`;
    if (ts.isVariableStatement(node)) return this.#initial(node);
    if (ts.isEmptyStatement(node)) return "";
    throw new Error(`no statement of wasm2js: ${node.getText().slice(0, 80)}`);
  }

  #block(node: ts.Block, label: string): string {
    return this.#within(
      { label, isPlain: false, isLoop: false },
      ({ end }) => `(block ${end}\n${this.#all(node.statements)})`,
    );
  }

  #if({ expression, thenStatement, elseStatement }: ts.IfStatement): string {
    const condition = this.#expressions.condition(expression);
    const otherwise = elseStatement ? `(else ${this.#statement(elseStatement)})` : "";
    return `(if ${condition} (then ${this.#statement(thenStatement)}) ${otherwise})`;
  }

  #while({ expression, statement }: ts.WhileStatement, label: string | null): string {
    return this.#within({ label, isPlain: true, isLoop: true }, ({ end, again }) => {
      const isEndless = numberOf(expression) === 1;
      const leave = isEndless
        ? ""
        : `(br_if ${end} (i32.eqz ${this.#expressions.condition(expression)}))`;
      return `(block ${end} (loop ${again} ${leave}\n${this.#statement(statement)}\n(br ${again})))`;
    });
  }

  #doWhile({ expression, statement }: ts.DoStatement, label: string | null): string {
    return this.#within({ label, isPlain: true, isLoop: true }, ({ end, again }) => {
      const top = `${again}top`;
      const body = `(block ${again} ${this.#statement(statement)})`;
      const repeat = `(br_if ${top} ${this.#expressions.condition(expression)})`;
      return `(block ${end} (loop ${top} ${body}\n${repeat}))`;
    });
  }

  #switch({ expression, caseBlock }: ts.SwitchStatement, label: string | null): string {
    return this.#within({ label, isPlain: true, isLoop: false }, ({ end }) => {
      const places = caseBlock.clauses.map((_, index) => `${end}case${index}`);
      const values = new Map<number, string>();
      let other = end;
      caseBlock.clauses.forEach((clause, index) => {
        const place = places[index] ?? end;
        const value = ts.isCaseClause(clause) ? numberOf(clause.expression) : null;
        if (value === null) other = place;
        else values.set(value, place);
      });
      const chosen = this.#choice(this.#expressions.value(expression, "i32"), values, other);
      return `(block ${end} ${caseBlock.clauses.reduce(
        (inner, clause, index) =>
          `(block ${places[index]} ${inner})\n${this.#all(clause.statements)}`,
        chosen,
      )})`;
    });
  }

  #choice(value: string, places: ReadonlyMap<number, string>, other: string): string {
    const least = Math.min(...places.keys());
    const most = Math.max(...places.keys());
    if (most - least >= TABLE_MAX) throw new Error("a switch is too wide for a table");
    const table = Array.from(
      { length: most - least + 1 },
      (_, index) => places.get(least + index) ?? other,
    );
    return `(br_table ${table.join(" ")} ${other} (i32.sub ${value} (i32.const ${least})))`;
  }

  #return({ expression }: ts.ReturnStatement): string {
    const { answer } = this.subroutine.signature;
    if (!expression) return "(return)";
    return `(return ${this.#expressions.value(expression, answer.type ?? "i32")})`;
  }

  #initial(node: ts.VariableStatement): string {
    return node.declarationList.declarations
      .filter(({ initializer }) => initializer && numberOf(initializer) !== 0)
      .map(({ name, initializer }) => {
        const value = initializer ? bare(initializer) : null;
        const type = this.subroutine.variables.get(name.getText())?.type ?? "i32";
        return value
          ? `(local.set $${name.getText()} ${this.#expressions.value(value, type)})`
          : "";
      })
      .join("\n");
  }

  #within(
    kind: { readonly label: string | null; readonly isPlain: boolean; readonly isLoop: boolean },
    text: (jump: { readonly end: string; readonly again: string }) => string,
  ): string {
    const number = ++this.#jumpsMade;
    const jump = { end: `$end${number}`, again: `$again${number}` };
    const { label, isPlain, isLoop } = kind;
    this.#jumps.push({ label, isPlain, end: jump.end, again: isLoop ? jump.again : null });
    const made = text(jump);
    this.#jumps.pop();
    return made;
  }

  #jump(label: string | undefined): Jump {
    const jump = this.#jumps.findLast((one) => (label ? one.label === label : one.isPlain));
    if (!jump) throw new Error(`a jump to nowhere: ${label}`);
    return jump;
  }

  #loop(label: string | undefined): string {
    const jump = this.#jumps.findLast((one) => one.again && (!label || one.label === label));
    if (!jump?.again) throw new Error(`a jump to no loop: ${label}`);
    return jump.again;
  }
}
