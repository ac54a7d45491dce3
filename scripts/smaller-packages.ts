/**
 * Packages that the bundler would store several times as large as they are: a name with an accent in a notice doubles
 * all of its chunk; bytes in a string are written with escapes or in base 64, once as source and once as bytecode.
 */
import type { BunPlugin } from "bun";

/** Compresses what a package wrote as text, embeds it as a file, and answers the expression that unpacks it. */
type Keep = (name: string, bytes: Uint8Array) => string;

function replaceIn(text: string, found: RegExp, by: (match: string) => string): string {
  const [all, part] = found.exec(text) ?? [];
  if (all === undefined || part === undefined) throw new Error(`no ${found} in a package`);
  return text.replace(all, () => all.replace(part, () => by(part)));
}

const SMALLER: readonly (readonly [RegExp, (text: string, keep: Keep) => string])[] = [
  [/\/otpauth\/dist\//, (text) => text.replace(/^\/\/!.*$/gm, "")],
  [
    /\/libopus\.generated\.mjs$/,
    (text, keep) =>
      replaceIn(text, /(binaryDecode\('(?:[^'\\]|\\.)*'\))/s, (call) => {
        // A character that is no byte stands for 0.
        const decode = (letters: string) =>
          Uint8Array.from(letters, (letter) => (letter > "\xff" ? 0 : letter.charCodeAt(0)));
        return keep("opus.zst", new Function("binaryDecode", `return ${call}`)(decode));
      }),
  ],
  [
    /\/llama-tokenizer\.js$/,
    (text, keep) =>
      ["vocab", "merges"].reduce(
        (left, name) =>
          replaceIn(left, new RegExp(`llama_${name}_\\w+ = ("[^"]*")`), (literal) => {
            const bytes = Buffer.from(literal.slice(1, -1), "base64");
            return `${keep(`${name}.zst`, bytes)}.toString("base64")`;
          }),
        text,
      ),
  ],
];

/** Throws where a package is not written as expected. */
export const smallerPackages: BunPlugin = {
  name: "smaller packages",
  setup(build) {
    const kept = new Map<string, Uint8Array>();
    for (const [filter, change] of SMALLER)
      build.onLoad({ filter }, async ({ path }) => {
        let imports = 'import { readFileSync as readKept } from "node:fs";';
        const text = change(await Bun.file(path).text(), (name, bytes) => {
          kept.set(name, Bun.zstdCompressSync(bytes, { level: 22 }));
          const file = `kept${kept.size}`;
          imports += `import ${file} from "kept:${name}";`;
          return `Bun.zstdDecompressSync(readKept(${file}))`;
        });
        return { contents: imports + text, loader: "js" };
      });
    build.onResolve({ filter: /^kept:/ }, ({ path }) => ({
      path: path.slice("kept:".length),
      namespace: "kept",
    }));
    build.onLoad({ filter: /./, namespace: "kept" }, ({ path }) => ({
      contents: kept.get(path) ?? "",
      loader: "file",
    }));
  },
};
