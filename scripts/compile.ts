/**
 * Compiles the program into one file: every worker is an entry point of its own.
 *
 * Server code keeps its names and its shape (else Elysia could not analyse its handlers), and the binary reads
 * neither .env nor bunfig.toml of the directory it runs in. The same sources give the same bytes,
 * wherever they lie.
 */
import { rename } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

export type CompileTarget = "bun-linux-x64" | "bun-linux-arm64";

/** `target` null: this machine's. The file appears whole or not at all. Throws with what is wrong. */
export async function compile(outfile: string, target: CompileTarget | null): Promise<void> {
  const result = await Bun.build({
    entrypoints: [
      `${root}src/main.ts`,
      `${root}src/adapter/worker/call.worker.ts`,
      `${root}src/adapter/worker/speech.worker.ts`,
      `${root}src/adapter/worker/transcriber.worker.ts`,
      `${root}src/adapter/worker/voices.worker.ts`,
      `${root}src/adapter/worker/encoder.worker.ts`,
      `${root}src/operations/backup/database.worker.ts`,
      `${root}src/adapter/store/sqlite/checkpoint.worker.ts`,
      `${root}src/adapter/knowledge/knowledge.worker.ts`,
      `${root}src/adapter/knowledge/reader/reader.worker.ts`,
      `${root}src/adapter/worker/schema.worker.ts`,
      `${root}src/adapter/worker/scenario.worker.ts`,
    ],
    root: `${root}src`,
    target: "bun",
    format: "esm",
    bytecode: true,
    // Spaces and comments go: one letter with an accent in a comment doubles all of its chunk.
    minify: { whitespace: true },
    // What several workers use is stored once: 19 MB less.
    splitting: true,
    // Where a package lay is no business of the binary's: any checkout gives the same bytes.
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

/** null: no git checkout, as in a source archive. */
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
