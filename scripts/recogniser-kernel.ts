/**
 * The recogniser's published module with our own scoring of sounds (kernel.wat) and search (search.wat) in it. It is taken
 * apart as text, because a module's functions can be named by their numbers there; so it must be the very module that the
 * numbers are of.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import wabt from "wabt";

export const RECOGNISER_KERNEL = ["kernel.wat", "search.wat"].map((name) =>
  fileURLToPath(new URL(`../src/adapter/engine/embedded/recogniser/${name}`, import.meta.url)),
);
const PUBLISHED_SHA256 = "02ffea996ee62bec979513325302ecfbbec96c68e95c5b3171094f47c7b27229";
/** Functions of the module that ours call. */
const CALLED: Readonly<Record<string, number>> = {
  malloc: 38,
  free: 19,
  free_list: 35,
  configured: 30,
  word_number: 36,
  arcs: 107,
  arc: 106,
  next_arc: 105,
  add_entry: 172,
  store_entry: 315,
  score: 359,
  clear: 340,
};
/** Functions of the module in whose place ours stand. */
const REPLACED: Readonly<Record<number, string>> = {
  350: "follow_words",
  351: "follow_arcs",
  358: "flush",
  431: "score_frame",
  451: "step",
};
/** Functions of the module before which ours are called, with the same first parameter. */
const PRECEDED: Readonly<Record<number, string>> = { 357: "forget", 449: "finish" };
const FEATURES = { simd: true, bulk_memory: true, sat_float_to_int: true };

export async function fasterRecogniser(published: string): Promise<Uint8Array> {
  const bytes = readFileSync(published);
  if (createHash("sha256").update(bytes).digest("hex") !== PUBLISHED_SHA256)
    throw new Error("another version of the recogniser: find the numbers of its functions again");
  const kernel = RECOGNISER_KERNEL.map((path) => readFileSync(path, "utf8"))
    .join("\n")
    .replace(/\(call \$(\w+)/g, (call, name) => (name in CALLED ? `(call ${CALLED[name]}` : call));
  const { readWasm, parseWat } = await wabt();
  const module = readWasm(bytes, {});
  let text = module.toText({});
  module.destroy();
  for (const [index, name] of Object.entries(REPLACED)) text = replaced(text, +index, name);
  for (const [index, name] of Object.entries(PRECEDED)) text = preceded(text, +index, name);
  // Behind the module's own functions and globals, whose numbers stay so.
  const end = text.indexOf("  (elem (;0;)");
  const assembled = parseWat(
    "recogniser",
    `${text.slice(0, end)}${kernel}${text.slice(end)}`,
    FEATURES,
  );
  const { buffer } = assembled.toBinary({});
  assembled.destroy();
  return buffer;
}

/** The module with a function that calls another instead of what it did. */
function replaced(text: string, index: number, name: string): string {
  const [from, to] = [startOf(text, index), startOf(text, index + 1)];
  const head = text.slice(from, text.indexOf("\n", from));
  const [, parameters = ""] = head.match(/\(param ([^)]*)\)/) ?? [];
  const passed = parameters.split(" ").map((_, parameter) => `(local.get ${parameter})`);
  return `${text.slice(0, from)}${head} (call $${name} ${passed.join(" ")}))\n${text.slice(to)}`;
}

/** The module with a function that calls another before what it does. */
function preceded(text: string, index: number, name: string): string {
  const body = text
    .slice(startOf(text, index))
    .replace(/^.*\n(?: +\(local .*\n)?/, (head) => `${head}(call $${name} (local.get 0))\n`);
  return text.slice(0, startOf(text, index)) + body;
}

function startOf(text: string, index: number): number {
  return text.indexOf(`  (func (;${index};)`);
}
