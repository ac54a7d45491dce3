/** The entry of the binary: argv → cli/. */
import { runCli } from "./cli/run.ts";
import { visibleControls } from "./core/visible-controls.ts";

// Whatever a command writes (calls, recordings, keys) is its owner's alone.
process.umask(0o077);

/** A pipe takes 64 KB at once, and an exit would cut off the rest. */
const unwritten = new Set<Promise<void>>();
function print(stream: NodeJS.WriteStream, line: string): void {
  const written = new Promise<void>((resolve) =>
    stream.write(visibleControls(`${line}\n`), () => resolve()),
  );
  unwritten.add(written);
  void written.then(() => unwritten.delete(written));
}

const status = await runCli(process.argv.slice(2), {
  out: (line) => print(process.stdout, line),
  err: (line) => print(process.stderr, line),
  env: process.env,
  cwd: process.cwd(),
  isInteractive: process.stdout.isTTY === true,
});
await Promise.all(unwritten);
process.exit(status);
