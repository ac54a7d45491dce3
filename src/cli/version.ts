/** `linevoice version`. */
import manifest from "../../package.json" with { type: "json" };
import { type Command, parse } from "./usage.ts";

export const version: string = manifest.version;

export const versionCommand: Command = {
  usage: ["version [--json]"],
  async run(args, terminal) {
    const { values } = parse(args, {}, 0);
    const { PACKS: packs } = await import("../operations/doctor/packs.ts");
    const runtime = `bun ${Bun.version}`;
    const about = { version, runtime, arch: process.arch, packs };
    terminal.out(values.json ? JSON.stringify(about) : `linevoice ${version}`);
    return 0;
  },
};
