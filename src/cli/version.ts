/** `linevoice version`. */
import manifest from "../../package.json" with { type: "json" };
import { type Command, parse } from "./usage.ts";

export const version: string = manifest.version;

/** Inserted by scripts/compile.ts. */
declare const LINEVOICE_COMMIT: string | null | undefined;
/** Commit of the sources; null if run from source or built without git. */
const commit = typeof LINEVOICE_COMMIT === "string" ? LINEVOICE_COMMIT : null;

export const versionCommand: Command = {
  usage: ["version [--json]"],
  async run(args, terminal) {
    const { values } = parse(args, {}, 0);
    const runtime = `bun ${Bun.version}`;
    const about = { version, commit, runtime, arch: process.arch };
    terminal.out(values.json ? JSON.stringify(about) : `linevoice ${version}`);
    // On a separate line: install.sh of every release reads the version from the first line.
    if (commit && !values.json) terminal.out(`commit ${commit}`);
    return 0;
  },
};
