/** The C programs in `native/`, compiled on first use. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Native {
  /** Returns the path of the built program. */
  build(name: "receiver" | "pacer" | "listener" | "phones"): Promise<string>;
  remove(): void;
}

/** Returns null without a C compiler. The caller must remove the built programs. */
export function nativePrograms(): Native | null {
  const compiler = Bun.which("cc") ?? Bun.which("gcc");
  if (!compiler) return null;
  const directory = mkdtempSync(join(tmpdir(), "linevoice-bench-"));
  return {
    async build(name) {
      const built = join(directory, name);
      const source = fileURLToPath(new URL(`./native/${name}.c`, import.meta.url));
      await Bun.$`${compiler} -O2 -o ${built} ${source}`.quiet();
      return built;
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
