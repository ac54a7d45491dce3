/**
 * WebAssembly's binary format of the folded text that this folder writes, and of no more of that language
 * (WebAssembly Core Specification 2.0, chapters 5 and 6). The assembler of the `wabt` package ends at blocks that
 * stand 150 deep in one another.
 */

type Node = string | readonly Node[];

interface FunctionType {
  readonly parameters: readonly string[];
  readonly results: readonly string[];
}

const VALUE_TYPES: Readonly<Record<string, number>> = { i32: 0x7f, f32: 0x7d, f64: 0x7c };
const EMPTY_BLOCK = 0x40;
const FUNCREF = 0x70;
const END = 0x0b;
const ELSE = 0x05;

const sequence = (first: number, names: string) =>
  Object.fromEntries(names.split(" ").map((name, index) => [name, [first + index]]));

/** Without what follows them in the code. */
const PLAIN: Readonly<Record<string, readonly number[]>> = {
  unreachable: [0x00],
  return: [0x0f],
  drop: [0x1a],
  "memory.size": [0x3f, 0],
  "memory.grow": [0x40, 0],
  ...sequence(0x45, "i32.eqz i32.eq i32.ne i32.lt_s i32.lt_u i32.gt_s i32.gt_u i32.le_s i32.le_u"),
  ...sequence(0x4e, "i32.ge_s i32.ge_u"),
  ...sequence(0x5b, "f32.eq f32.ne f32.lt f32.gt f32.le f32.ge"),
  ...sequence(0x61, "f64.eq f64.ne f64.lt f64.gt f64.le f64.ge"),
  ...sequence(0x67, "i32.clz i32.ctz i32.popcnt i32.add i32.sub i32.mul i32.div_s i32.div_u"),
  ...sequence(0x6f, "i32.rem_s i32.rem_u i32.and i32.or i32.xor i32.shl i32.shr_s i32.shr_u"),
  ...sequence(0x84, "i64.or i64.xor i64.shl i64.shr_s i64.shr_u"),
  ...sequence(0x8b, "f32.abs f32.neg f32.ceil f32.floor f32.trunc f32.nearest f32.sqrt"),
  ...sequence(0x92, "f32.add f32.sub f32.mul f32.div f32.min f32.max"),
  ...sequence(0x99, "f64.abs f64.neg f64.ceil f64.floor f64.trunc f64.nearest f64.sqrt"),
  ...sequence(0xa0, "f64.add f64.sub f64.mul f64.div f64.min f64.max"),
  "i32.wrap_i64": [0xa7],
  "i64.extend_i32_u": [0xad],
  "f32.convert_i32_s": [0xb2],
  "f32.convert_i32_u": [0xb3],
  "f32.demote_f64": [0xb6],
  "f64.convert_i32_s": [0xb7],
  "f64.convert_i32_u": [0xb8],
  "f64.promote_f32": [0xbb],
  "i32.reinterpret_f32": [0xbc],
  "i64.reinterpret_f64": [0xbd],
  "f64.reinterpret_i64": [0xbf],
  "i64.trunc_sat_f32_s": [0xfc, 4],
  "i64.trunc_sat_f64_s": [0xfc, 6],
};
/** With the alignment that wasm2js's index shows: the width of what is read. */
const MEMORY: Readonly<Record<string, readonly [code: number, alignment: number]>> = {
  "i32.load": [0x28, 2],
  "f32.load": [0x2a, 2],
  "f64.load": [0x2b, 3],
  "i32.load8_s": [0x2c, 0],
  "i32.load8_u": [0x2d, 0],
  "i32.load16_s": [0x2e, 1],
  "i32.load16_u": [0x2f, 1],
  "i32.store": [0x36, 2],
  "f32.store": [0x38, 2],
  "f64.store": [0x39, 3],
  "i32.store8": [0x3a, 0],
  "i32.store16": [0x3b, 1],
};
const VARIABLES: Readonly<Record<string, number>> = {
  "local.get": 0x20,
  "local.set": 0x21,
  "local.tee": 0x22,
  "global.get": 0x23,
  "global.set": 0x24,
};

export function assemble(text: string): Uint8Array {
  const [module] = parsed(text);
  const [head, ...fields] = listOf(module);
  if (head !== "module") throw new Error("no module");
  return new Assembler(fields.map(listOf)).bytes();
}

class Assembler {
  readonly #types: string[] = [];
  readonly #typeBytes: number[][] = [];
  readonly #functions = new Map<string, number>();
  readonly #globals = new Map<string, number>();

  constructor(private readonly fields: readonly (readonly Node[])[]) {}

  bytes(): Uint8Array {
    const imports = this.#fields("import");
    const functions = this.#fields("func");
    const globals = this.#fields("global");
    const [memory = [], table = [], elements = []] = ["memory", "table", "elem"].map(
      (kind) => this.#fields(kind)[0],
    );
    for (const [, , , described] of imports) this.#name(this.#functions, listOf(described)[1]);
    for (const [, name] of functions) this.#name(this.#functions, name);
    for (const [, name] of globals) this.#name(this.#globals, name);
    const imported = imports.map(([, module, field, described]) => [
      ...string(module),
      ...string(field),
      0,
      ...this.#type(typeOf(listOf(described))),
    ]);
    const declared = functions.map((one) => this.#type(typeOf(one)));
    const code = functions.map((one) => withSize(this.#body(one)));
    const exported = [
      [...string(listOf(memory[1])[1]), 2, 0],
      [...string(listOf(table[1])[1]), 1, 0],
      ...this.#fields("export").map(([, field, described]) => [
        ...string(field),
        0,
        ...this.#index(this.#functions, listOf(described)[1]),
      ]),
    ];
    const [, offset, ...entries] = elements;
    const filled = entries.map((name) => this.#index(this.#functions, name));
    return Buffer.concat(
      [
        [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
        section(1, this.#typeBytes),
        section(2, imported),
        section(3, declared),
        section(4, [[FUNCREF, 0, ...unsigned(Number(table[2]))]]),
        section(5, [[1, ...unsigned(Number(memory[2])), ...unsigned(Number(memory[3]))]]),
        section(
          6,
          globals.map(([, , , value]) => [
            ...[VALUE_TYPES.i32 ?? 0, 1],
            ...this.#instruction(value, []),
            END,
          ]),
        ),
        section(7, exported),
        section(9, [[0, ...this.#instruction(offset, []), END, ...vector(filled)]]),
        section(10, code),
        section(
          11,
          this.#fields("data").map(([, at, content]) => {
            const bytes = Buffer.from(String(content).replaceAll(/["\\]/g, ""), "hex");
            return [0, ...this.#instruction(at, []), END, ...unsigned(bytes.length), ...bytes];
          }),
        ),
      ].map((part) => Buffer.from(part)),
    );
  }

  #fields(kind: string): (readonly Node[])[] {
    return this.fields.filter(([head]) => head === kind);
  }

  #name(names: Map<string, number>, name: Node | undefined): void {
    names.set(String(name), names.size);
  }

  #index(names: ReadonlyMap<string, number>, name: Node | undefined): number[] {
    const index = names.get(String(name));
    if (index === undefined) throw new Error(`no such name: ${String(name)}`);
    return unsigned(index);
  }

  #type({ parameters, results }: FunctionType): number[] {
    const key = `${parameters.join()}>${results.join()}`;
    let index = this.#types.indexOf(key);
    if (index < 0) {
      index = this.#types.push(key) - 1;
      const [taken, given] = [parameters, results].map((list) =>
        vector(list.map((type) => [valueType(type)])),
      );
      this.#typeBytes.push([0x60, ...(taken ?? []), ...(given ?? [])]);
    }
    return unsigned(index);
  }

  #body(field: readonly Node[]): number[] {
    const locals = new Map<string, number>();
    const kinds: number[] = [];
    const code: number[] = [];
    for (const part of field.slice(2)) {
      const [head, name, type] = typeof part === "string" ? [part] : part;
      if (head === "param") this.#name(locals, name);
      else if (head === "local") {
        this.#name(locals, name);
        kinds.push(valueType(type));
      } else if (head !== "result") append(code, this.#instruction(part, [], locals));
    }
    return [...vector(kinds.map((kind) => [1, kind])), ...code, END];
  }

  #all(nodes: readonly Node[], labels: readonly string[], locals?: ReadonlyMap<string, number>) {
    const code: number[] = [];
    for (const node of nodes) append(code, this.#instruction(node, labels, locals));
    return code;
  }

  /** `labels`: of the blocks around it, the innermost first. */
  #instruction(
    node: Node | undefined,
    labels: readonly string[],
    locals: ReadonlyMap<string, number> = new Map(),
  ): number[] {
    const [name, ...rest] = typeof node === "string" ? [node] : listOf(node);
    const head = String(name);
    const [first] = rest;
    const variable = VARIABLES[head];
    if (variable !== undefined) {
      const names = head.startsWith("local") ? locals : this.#globals;
      const code = this.#all(rest.slice(1), labels, locals);
      return [...code, variable, ...this.#index(names, first)];
    }
    if (head === "i32.const") return [0x41, ...signed(Number(first))];
    if (head === "i64.const") return [0x42, ...signed(Number(first))];
    if (head === "f32.const") return [0x43, ...float(first, 4)];
    if (head === "f64.const") return [0x44, ...float(first, 8)];
    if (head === "block" || head === "loop") {
      const [label, inner] = String(first).startsWith("$")
        ? [String(first), rest.slice(1)]
        : ["", rest];
      const [type, body] = blockType(inner);
      const code = this.#all(body, [label, ...labels], locals);
      return [head === "block" ? 0x02 : 0x03, type, ...code, END];
    }
    if (head === "if") return this.#if(rest, labels, locals);
    if (head === "br" || head === "br_if") {
      const code = this.#all(rest.slice(1), labels, locals);
      return [...code, head === "br" ? 0x0c : 0x0d, ...depth(labels, first)];
    }
    if (head === "br_table") {
      const targets = rest.filter((one) => typeof one === "string");
      const places = targets.map((target) => depth(labels, target));
      const code = this.#all(rest.slice(targets.length), labels, locals);
      return [...code, 0x0e, ...vector(places.slice(0, -1)), ...(places.at(-1) ?? [])];
    }
    if (head === "call") {
      const code = this.#all(rest.slice(1), labels, locals);
      return [...code, 0x10, ...this.#index(this.#functions, first)];
    }
    if (head === "call_indirect") {
      const isOfType = (one: Node) => one[0] === "param" || one[0] === "result";
      const code = this.#all(
        rest.filter((one) => !isOfType(one)),
        labels,
        locals,
      );
      return [...code, 0x11, ...this.#type(typeOf(rest)), 0];
    }
    const code = this.#all(rest, labels, locals);
    const memory = MEMORY[head];
    if (memory) return [...code, ...memory, 0];
    const plain = PLAIN[head];
    if (!plain) throw new Error(`no such instruction: ${head}`);
    return [...code, ...plain];
  }

  #if(parts: readonly Node[], labels: readonly string[], locals: ReadonlyMap<string, number>) {
    const [type, [condition = "", then = "", otherwise]] = blockType(parts);
    const inside = ["", ...labels];
    const [, ...thenBody] = listOf(then);
    const code = this.#instruction(condition, labels, locals);
    const taken = this.#all(thenBody, inside, locals);
    if (otherwise === undefined) return [...code, 0x04, type, ...taken, END];
    const [, ...elseBody] = listOf(otherwise);
    return [...code, 0x04, type, ...taken, ELSE, ...this.#all(elseBody, inside, locals), END];
  }
}

/** A long list would not fit among the arguments of a call. */
function append(code: number[], more: readonly number[]): void {
  for (const byte of more) code.push(byte);
}

function blockType(parts: readonly Node[]): [type: number, body: readonly Node[]] {
  const [first, ...rest] = parts;
  if (typeof first === "object" && first[0] === "result") return [valueType(first[1]), rest];
  return [EMPTY_BLOCK, parts];
}

function typeOf(parts: readonly Node[]): FunctionType {
  const types = (kind: string) =>
    parts.flatMap((part) =>
      typeof part === "object" && part[0] === kind ? [String(part.at(-1))] : [],
    );
  return { parameters: types("param"), results: types("result") };
}

function valueType(name: Node | undefined): number {
  const type = VALUE_TYPES[String(name)];
  if (type === undefined) throw new Error(`no such type: ${String(name)}`);
  return type;
}

function depth(labels: readonly string[], label: Node | undefined): number[] {
  const index = labels.indexOf(String(label));
  if (index < 0) throw new Error(`no such label: ${String(label)}`);
  return unsigned(index);
}

const section = (id: number, entries: readonly (readonly number[])[]) => [
  id,
  ...withSize(vector(entries)),
];
const vector = (entries: readonly (readonly number[])[]) => [
  ...unsigned(entries.length),
  ...entries.flat(),
];
const withSize = (bytes: readonly number[]) => [...unsigned(bytes.length), ...bytes];
const string = (quoted: Node | undefined) => {
  const bytes = Buffer.from(String(quoted).slice(1, -1));
  return [...unsigned(bytes.length), ...bytes];
};

function unsigned(value: number): number[] {
  const low = value % 128;
  return value < 128 ? [low] : [low | 128, ...unsigned((value - low) / 128)];
}

function signed(value: number): number[] {
  const low = value & 0x7f;
  const rest = value >> 7;
  const isEnd = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0);
  return isEnd ? [low] : [low | 0x80, ...signed(rest)];
}

function float(text: Node | undefined, bytes: 4 | 8): Buffer {
  const written = String(text).replace("inf", "Infinity").replace("nan", "NaN");
  const buffer = Buffer.alloc(bytes);
  if (bytes === 4) buffer.writeFloatLE(Number(written));
  else buffer.writeDoubleLE(Number(written));
  return buffer;
}

function listOf(node: Node | undefined): readonly Node[] {
  if (typeof node !== "object") throw new Error(`no list: ${String(node)}`);
  return node;
}

function parsed(text: string): Node[] {
  const outermost: Node[] = [];
  const open: Node[][] = [outermost];
  for (const [token] of text.matchAll(/[()]|"[^"]*"|[^\s()"]+/g)) {
    if (token === "(") open.push([]);
    else if (token === ")") {
      const list = open.pop() ?? [];
      open.at(-1)?.push(list);
    } else open.at(-1)?.push(token);
  }
  return outermost;
}
