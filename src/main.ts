/** The entry of the binary: argv → cli/. */
// Before everything: a library below passkeys looks for it while it loads, and a bundle keeps no
// other order than this one.
import "reflect-metadata";
import { runCli } from "./cli/run.ts";

// Whatever a command writes (calls, recordings, keys) is its owner's alone.
process.umask(0o077);

const status = await runCli(process.argv.slice(2), {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  env: process.env,
  cwd: process.cwd(),
});
process.exit(status);
