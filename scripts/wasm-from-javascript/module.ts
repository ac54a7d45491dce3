/**
 * WebAssembly of what binaryen's wasm2js made of WebAssembly: the way back. The runtime compiles such JavaScript,
 * functions of a hundred thousand instructions, for seconds, and the collections of all threads wait for its
 * compiler; WebAssembly has a compiler of its own, for which nobody waits.
 *
 * The result computes what the JavaScript does, bit for bit: a division by zero is zero, a number too large for an
 * integer is cut to its lowest 32 bits.
 */
import { fileURLToPath } from "node:url";
import { assemble } from "./assembler.ts";
import { functionText } from "./function-text.ts";
import { Program, type Signature } from "./program.ts";
import { Types } from "./types.ts";

/** All that decides what comes out. */
export const WASM_FROM_JAVASCRIPT = [
  ...["module.ts", "program.ts", "types.ts", "syntax.ts"],
  ...["function-text.ts", "expression-text.ts", "assembler.ts"],
].map((name) => fileURLToPath(new URL(name, import.meta.url)));

/** What the JavaScript does where WebAssembly's own instruction would end the program. */
const HELPERS = `
(func $div_s (param $a i32) (param $b i32) (result i32)
  (if (result i32) (i32.gt_u (i32.add (local.get $b) (i32.const 1)) (i32.const 1))
    (then (i32.div_s (local.get $a) (local.get $b)))
    (else (i32.mul (local.get $a) (local.get $b)))))
(func $div_u (param $a i32) (param $b i32) (result i32)
  (if (result i32) (local.get $b)
    (then (i32.div_u (local.get $a) (local.get $b))) (else (i32.const 0))))
(func $rem_s (param $a i32) (param $b i32) (result i32)
  (if (result i32) (local.get $b)
    (then (i32.rem_s (local.get $a) (local.get $b))) (else (i32.const 0))))
(func $rem_u (param $a i32) (param $b i32) (result i32)
  (if (result i32) (local.get $b)
    (then (i32.rem_u (local.get $a) (local.get $b))) (else (i32.const 0))))
(func $scratch_f64 (result f64)
  (f64.reinterpret_i64 (i64.or (i64.extend_i32_u (global.get $scratch0))
    (i64.shl (i64.extend_i32_u (global.get $scratch1)) (i64.const 32)))))
(func $keep_f64 (param $a f64)
  (global.set $scratch0 (i32.wrap_i64 (i64.reinterpret_f64 (local.get $a))))
  (global.set $scratch1 (i32.wrap_i64 (i64.shr_u (i64.reinterpret_f64 (local.get $a)) (i64.const 32)))))
(global $scratch0 (mut i32) (i32.const 0))
(global $scratch1 (mut i32) (i32.const 0))
(global $scratch2 (mut i32) (i32.const 0))`;

/** Of the text of a file that emscripten wrote with wasm2js inside. */
export function wasmFromJavaScript(source: string): Uint8Array {
  const program = new Program(source);
  const types = new Types(program);
  types.infer();
  return assemble(`(module\n${parts(program, types).join("\n")}\n)`);
}

function parts(program: Program, types: Types): string[] {
  const imports = [...program.imports].map(
    ([name, { field, signature }]) =>
      `(import "a" "${field}" (func $${name} ${signatureText(signature)}))`,
  );
  const globals = [...program.globals].map(
    ([name, { value }]) => `(global $${name} (mut i32) (i32.const ${value}))`,
  );
  const exported = program.exports.map(({ field, name }) => `(export "${field}" (func $${name}))`);
  const segments = program.segments.map(
    ({ offset, bytes }) => `(data (i32.const ${offset}) "${escaped(bytes)}")`,
  );
  const [, ...entries] = program.table;
  return [
    ...imports,
    `(memory (export "${program.memoryField}") ${program.memoryPages} 65535)`,
    `(table (export "${program.tableField}") ${program.table.length} funcref)`,
    `(elem (i32.const 1) ${entries.map((name) => `$${name}`).join(" ")})`,
    ...globals,
    HELPERS,
    ...exported,
    ...[...program.subroutines.values()].map((one) => functionText(one, program, types)),
    ...segments,
  ];
}

export function signatureText({ parameters, answer, answers }: Signature): string {
  const taken = parameters.map(({ type }) => `(param ${type ?? "i32"})`).join(" ");
  return answers ? `${taken} (result ${answer.type ?? "i32"})` : taken;
}

const escaped = (bytes: Buffer) => bytes.toString("hex").replaceAll(/../g, "\\$&");
