/**
 * Compiles the program into one file; every worker is a separate entry point.
 *
 * Server code keeps its names and structure, because Elysia analyses its handlers. The binary reads
 * neither .env nor bunfig.toml of its working directory. The same sources give the same bytes, in
 * any directory.
 */
import { rename } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

export type CompileTarget = "bun-linux-x64" | "bun-linux-arm64";

/**
 * `target`: null for this machine. Writes the whole file or nothing. Throws with the compiler's
 * errors.
 */
export async function compile(outfile: string, target: CompileTarget | null): Promise<void> {
  const result = await Bun.build({
    entrypoints: [
      `${root}src/main.ts`,
      `${root}src/worker/call.worker.ts`,
      `${root}src/worker/speech.worker.ts`,
      `${root}src/worker/transcriber.worker.ts`,
      `${root}src/worker/voices.worker.ts`,
      `${root}src/worker/encoder.worker.ts`,
      `${root}src/ops/backup/database.worker.ts`,
      `${root}src/store/sqlite/checkpoint.worker.ts`,
      `${root}src/features/knowledge/index/knowledge.worker.ts`,
      `${root}src/features/knowledge/reader/reader.worker.ts`,
      `${root}src/worker/schema.worker.ts`,
      `${root}src/worker/scenario.worker.ts`,
    ],
    root: `${root}src`,
    target: "bun",
    format: "esm",
    bytecode: true,
    // Remove comments: one non-ASCII letter in a comment doubles the size of the whole chunk.
    minify: { whitespace: true },
    // Store code shared by several workers only once: saves 19 MB.
    splitting: true,
    // Fixed paths, so that any checkout gives the same bytes.
    define: {
      __filename: '"/linevoice.js"',
      __dirname: '"/"',
      LINEVOICE_COMMIT: JSON.stringify(commitOfSources()),
    },
    compile: {
      ...(target === null ? {} : { target }),
      outfile: `${outfile}.new`,
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
  });
  if (!result.success) throw new AggregateError(result.logs, "build failed");
  await rename(`${outfile}.new`, outfile);
}

/** null without a git checkout, as in a source archive. */
function commitOfSources(): string | null {
  const words = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"];
  const asked = Bun.spawnSync(words, { cwd: root, stderr: "ignore" });
  return asked.success ? asked.stdout.toString().trim() : null;
}

export async function sha256Of(file: string): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const chunk of Bun.file(file).stream()) hash.update(chunk);
  return hash.digest("hex");
}
