/** What a file of binaryen's wasm2js consists of: functions, memory, table, globals, imports and exports. */
import ts from "typescript5";
import { bare } from "./syntax.ts";
import type { Slot, Type } from "./types.ts";

export interface Signature {
  readonly parameters: Slot[];
  readonly answer: Slot;
  answers: boolean;
}

export interface Subroutine {
  readonly name: string;
  readonly signature: Signature;
  /** Parameters and variables. */
  readonly variables: Map<string, Slot>;
  readonly body: ts.Block;
}

interface View {
  readonly type: Type;
  readonly bytes: 1 | 2 | 4 | 8;
  readonly isUnsigned: boolean;
}

export type Target =
  | { readonly kind: "function"; readonly name: string; readonly signature: Signature }
  | { readonly kind: "import"; readonly name: string; readonly signature: Signature }
  | { readonly kind: "math"; readonly name: string }
  | { readonly kind: "memory"; readonly name: string }
  | {
      readonly kind: "scratch";
      readonly name: string;
      readonly takes: Type | null;
      readonly answers: Type | null;
    }
  | { readonly kind: "table"; readonly index: ts.Expression };

const VIEWS: Readonly<Record<string, View>> = {
  Int8Array: { type: "i32", bytes: 1, isUnsigned: false },
  Uint8Array: { type: "i32", bytes: 1, isUnsigned: true },
  Int16Array: { type: "i32", bytes: 2, isUnsigned: false },
  Uint16Array: { type: "i32", bytes: 2, isUnsigned: true },
  Int32Array: { type: "i32", bytes: 4, isUnsigned: false },
  Uint32Array: { type: "i32", bytes: 4, isUnsigned: true },
  Float32Array: { type: "f32", bytes: 4, isUnsigned: false },
  Float64Array: { type: "f64", bytes: 8, isUnsigned: false },
};

/** What moves the halves of a number from one kind to another, by what it does. */
const SCRATCH: readonly [does: RegExp, name: string, takes: Type | null, answers: Type | null][] = [
  [/^function ([\w$]+)\(\w+\)\{return u\[\w+\]\}/gm, "load_i32", null, "i32"],
  [/^function ([\w$]+)\(\w+,\w+\)\{u\[\w+\]=\w+\}/gm, "store_i32", "i32", null],
  [/^function ([\w$]+)\(\)\{return w\[0\]\}/gm, "load_f64", null, "f64"],
  [/^function ([\w$]+)\(\w+\)\{w\[0\]=\w+\}/gm, "store_f64", "f64", null],
  [/^function ([\w$]+)\(\w+\)\{v\[2\]=\w+\}/gm, "store_f32", "f32", null],
];

export class Program {
  readonly subroutines = new Map<string, Subroutine>();
  readonly imports = new Map<string, { readonly field: string; readonly signature: Signature }>();
  readonly globals = new Map<string, { readonly slot: Slot; readonly value: number }>();
  readonly segments: readonly { readonly offset: number; readonly bytes: Buffer }[];
  readonly exports: readonly { readonly field: string; readonly name: string }[];
  /** Names of functions; empty: none. */
  readonly table: readonly string[];
  readonly memoryPages: number;
  readonly memoryField: string;
  readonly tableField: string;
  readonly #views = new Map<string, View>();
  readonly #math = new Map<string, string>();
  readonly #scratch = new Map<string, Extract<Target, { kind: "scratch" }>>();
  readonly #tableName: string;
  readonly #memorySize: string;
  readonly #memoryGrow: string;
  readonly #trap: string;

  constructor(source: string) {
    const start = source.indexOf("// EMSCRIPTEN_START_ASM");
    const begin = source.indexOf("function instantiate(");
    const end = source.indexOf("// EMSCRIPTEN_END_ASM");
    const head = source.slice(begin, source.indexOf("// EMSCRIPTEN_START_FUNCS", begin));
    const functions = source.slice(begin + head.length, source.indexOf("// EMSCRIPTEN_END_FUNCS"));
    const tail = source.slice(begin + head.length + functions.length, end);
    if (begin < 0 || end < 0 || start < 0) throw new Error("this is no file of wasm2js");

    for (const [, name = "", kind = ""] of head.matchAll(/var ([\w$]+)=new (\w+Array)\(F\)/g))
      this.#views.set(name, required(VIEWS[kind], kind));
    for (const [, name = "", of = ""] of head.matchAll(/var ([\w$]+)=Math\.(\w+)/g))
      this.#math.set(name, of);
    for (const [, name = "", field = ""] of head.matchAll(/var ([\w$]+)=Y\.(\w+);/g))
      this.imports.set(name, { field, signature: unknown() });
    for (const [, name = "", value = ""] of head.matchAll(/var ([\w$]+)=(\d+);/g))
      this.globals.set(name, { slot: { type: "i32" }, value: Number(value) });
    for (const [does, kind, takes, answers] of SCRATCH)
      for (const [, name = ""] of head.replaceAll("function ", "\nfunction ").matchAll(does))
        this.#scratch.set(name, { kind: "scratch", name: kind, takes, answers });
    this.#trap = found(head, /function ([\w$]+)\(\)\{throw new Error\("abort"\)\}/);
    this.memoryPages = Number(found(head, /new ArrayBuffer\((\d{6,})\)/)) / 65_536;
    this.segments = [...head.matchAll(/n\(g,(\d+),"([^"]*)"\)/g)].map(
      ([, offset, base64 = ""]) => ({
        offset: Number(offset),
        bytes: Buffer.from(base64, "base64"),
      }),
    );

    this.#tableName = found(tail, /var ([\w$]+)=e\(\[null,/);
    this.table = found(tail, /=e\(\[(null,[^\]]*)\]\)/)
      .split(",")
      .map((name) => (name === "null" ? "" : name));
    this.#memorySize = found(tail, /function ([\w$]+)\(\)\{return F\.byteLength\/65536\|0\}/);
    this.#memoryGrow = found(tail, /function ([\w$]+)\([\w$]+\)\{[^}]*new ArrayBuffer/);
    this.memoryField = found(tail, /return\{([\w$]+):Object\.create/);
    const listed = found(tail, /\}\}\}\),([\w$:,]+)\}\}return/)
      .split(",")
      .map((entry) => entry.split(":"))
      .map(([field = "", name = ""]) => ({ field, name }));
    this.exports = listed.filter(({ name }) => name !== this.#tableName);
    this.tableField = required(listed.find(({ name }) => name === this.#tableName)?.field, "table");
    this.#readFunctions(functions);
  }

  /** Of a function's own, before one of all. */
  variable(name: string, inside: Subroutine): Slot | null {
    return inside.variables.get(name) ?? this.globals.get(name)?.slot ?? null;
  }

  heap(node: ts.ElementAccessExpression, inside: Subroutine): View {
    const name = node.expression.getText();
    const view = inside.variables.has(name) ? undefined : this.#views.get(name);
    return required(view, node.getText());
  }

  called(call: ts.CallExpression, inside: Subroutine): Target {
    const callee = bare(call.expression);
    if (ts.isElementAccessExpression(callee) && callee.expression.getText() === this.#tableName)
      return { kind: "table", index: callee.argumentExpression };
    const name = callee.getText();
    if (inside.variables.has(name)) throw new Error(`a variable is called: ${call.getText()}`);
    const subroutine = this.subroutines.get(name);
    if (subroutine) return { kind: "function", name, signature: subroutine.signature };
    const imported = this.imports.get(name);
    if (imported) return { kind: "import", name, signature: imported.signature };
    const math = this.#math.get(name);
    if (math) return { kind: "math", name: math };
    if (name === this.#memorySize) return { kind: "memory", name: "size" };
    if (name === this.#memoryGrow) return { kind: "memory", name: "grow" };
    if (name === this.#trap) return { kind: "memory", name: "trap" };
    return required(this.#scratch.get(name), name);
  }

  #readFunctions(text: string): void {
    const file = ts.createSourceFile("functions.js", text, ts.ScriptTarget.ES2020, true);
    for (const statement of file.statements) {
      if (!ts.isFunctionDeclaration(statement) || !statement.name || !statement.body)
        throw new Error(`no function: ${statement.getText().slice(0, 80)}`);
      const parameters = statement.parameters.map((): Slot => ({ type: null }));
      const variables = new Map<string, Slot>();
      statement.parameters.forEach(({ name }, index) => {
        variables.set(name.getText(), required(parameters[index], "parameter"));
      });
      for (const inner of statement.body.statements)
        if (ts.isVariableStatement(inner))
          for (const { name } of inner.declarationList.declarations)
            variables.set(name.getText(), { type: null });
      const name = statement.name.text;
      const signature = { parameters, answer: { type: null }, answers: false };
      this.subroutines.set(name, { name, signature, variables, body: statement.body });
    }
  }
}

const unknown = (): Signature => ({ parameters: [], answer: { type: null }, answers: false });

function found(text: string, pattern: RegExp): string {
  return required(pattern.exec(text)?.[1], String(pattern));
}

function required<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`not as wasm2js writes it: ${what}`);
  return value;
}
