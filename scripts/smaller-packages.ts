/**
 * Packages that the bundler would store several times as large as they are: a name with an accent in a notice doubles
 * all of its chunk; bytes in a string are written with escapes or in base 64, once as source and once as bytecode.
 * What is asked for seldom needs no bytecode: it is kept compressed, a tenth as large, and compiled when it is loaded.
 */
import { fileURLToPath } from "node:url";
import type { BunPlugin, OnLoadResult } from "bun";

/** Compresses what a package wrote as text, embeds it as a file, and answers the expression that unpacks it. */
type Keep = (name: string, bytes: Uint8Array) => string;

function replaceIn(text: string, found: RegExp, by: (match: string) => string): string {
  const [all, part] = found.exec(text) ?? [];
  if (all === undefined || part === undefined) throw new Error(`no ${found} in a package`);
  return text.replace(all, () => all.replace(part, () => by(part)));
}

const SMALLER: readonly (readonly [RegExp, (text: string, keep: Keep) => string])[] = [
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
    /\/mpg123-decoder\/src\/EmscriptenWasm\.js$/,
    (text, keep) =>
      replaceIn(text, /(String\.raw`[^`]{9999,}`)/, (literal) => {
        const letters: string = new Function(`return ${literal}`)();
        return `${keep("mpg123.zst", Buffer.from(letters, "latin1"))}.toString("latin1")`;
      }),
  ],
  [
    /\/libphonenumber-js\/metadata\.max\.json\.js$/,
    (text, keep) =>
      replaceIn(text, /export default (\{.*\})/s, (json) => {
        // Read with the first number, not by every start.
        const read = `(read ??= JSON.parse(${keep("numbers.zst", Buffer.from(json))}.toString()))`;
        const parts = Object.keys(JSON.parse(json)).map(
          (name) => `get ${name}() { return ${read}.${name}; }`,
        );
        return `((read) => ({ ${parts.join(", ")} }))(undefined)`;
      }),
  ],
  [
    /\/llama-tokenizer\.js$/,
    // Only texts become tokens by merging, and we make texts of tokens.
    (text, keep) =>
      replaceIn(
        replaceIn(text, /llama_merges_\w+ = ("[^"]*")/, () => '""'),
        /llama_vocab_\w+ = ("[^"]*")/,
        (literal) => {
          const bytes = Buffer.from(literal.slice(1, -1), "base64");
          return `${keep("vocab.zst", bytes)}.toString("base64")`;
        },
      ),
  ],
];

/**
 * What is imported of packages that stand behind an `import()` or in a seldom worker: payments, mail, passkeys and codes;
 * certificate and mails of the demo; HTML and tables that become knowledge or contacts; what Elysia would load for kinds of fields that no
 * operation has.
 */
const SELDOM: Readonly<Record<string, readonly string[]>> = {
  stripe: ["default"],
  resend: ["Resend"],
  "nodemailer/lib/smtp-connection": ["default"],
  "nodemailer/lib/mail-composer": ["default"],
  "postal-mime": ["default"],
  "file-type": ["fileTypeFromBlob"],
  htmlparser2: ["Parser"],
  "csv-parse": ["parse"],
  "csv-parse/sync": ["parse"],
  "reflect-metadata": [],
  otpauth: ["Secret", "TOTP"],
  "@simplewebauthn/server": [
    ...["generateRegistrationOptions", "verifyRegistrationResponse"],
    ...["generateAuthenticationOptions", "verifyAuthenticationResponse"],
  ],
  "@peculiar/x509": [
    ...["BasicConstraintsExtension", "ExtendedKeyUsage", "ExtendedKeyUsageExtension"],
    ...["KeyUsageFlags", "KeyUsagesExtension", "PemConverter"],
    ...["SubjectAlternativeNameExtension", "X509CertificateGenerator"],
  ],
};

/** A package with all that it imports, as the bundler would have written it: an expression that is a function. */
async function bundled(name: string): Promise<Uint8Array> {
  const built = await Bun.build({
    entrypoints: [fileURLToPath(import.meta.resolve(name))],
    target: "bun",
    format: "cjs",
    minify: { whitespace: true, syntax: true },
    define: { __filename: '"/linevoice.js"', __dirname: '"/"' },
  });
  const [output] = built.outputs;
  if (!output || built.outputs.length > 1) throw new Error(`${name} is not one file`);
  return new Uint8Array(await output.arrayBuffer());
}

/** The module that compiles a package when it is loaded. `unpacked`: the expression that answers its bytes. */
function seldomModule(names: readonly string[], unpacked: string): string {
  const exports = names.map((name) =>
    name === "default"
      ? "export default given.__esModule ? given.default : given;"
      : `export const ${name} = given.${name};`,
  );
  return `const made = { exports: {} };
(0, eval)(${unpacked}.toString())(made.exports, import.meta.require, made);
const given = made.exports;
${exports.join("\n")}`;
}

/** Throws where a package is not written as expected. */
export const smallerPackages: BunPlugin = {
  name: "smaller packages",
  async setup(build) {
    const kept = new Map<string, Uint8Array>();
    /** `write` gets the expression that unpacks what it keeps. */
    const contentsWith = (write: (keep: Keep) => string): OnLoadResult => {
      let imports = 'import { readFileSync as readKept } from "node:fs";';
      const text = write((name, bytes) => {
        kept.set(name, Bun.zstdCompressSync(bytes, { level: 22 }));
        const file = `kept_${name.replace(/\W/g, "_")}`;
        imports += `import ${file} from "kept:${name}";`;
        return `Bun.zstdDecompressSync(readKept(${file}))`;
      });
      return { contents: imports + text, loader: "js" };
    };
    for (const [filter, change] of SMALLER)
      build.onLoad({ filter }, async ({ path }) => {
        const text = await Bun.file(path).text();
        return contentsWith((keep) => change(text, keep));
      });
    for (const [name, names] of Object.entries(SELDOM)) {
      const bytes = await bundled(name);
      build.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({
        path: name,
        namespace: "seldom",
      }));
      build.onLoad({ filter: new RegExp(`^${name}$`), namespace: "seldom" }, () => {
        const file = `${name.replace(/\W+/g, "-").replace(/^-/, "")}.zst`;
        return contentsWith((keep) => seldomModule(names, keep(file, bytes)));
      });
    }
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
