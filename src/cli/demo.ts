/** `linevoice demo`: the main job on embedded defaults (appliance.md 2). */
import { resolve } from "node:path";
import { createLogger } from "../ops/logger.ts";
import { requireVectorInstructions } from "./cpu-check.ts";
import { type Command, parse } from "./usage.ts";

export const demoCommand: Command = {
  usage: ["demo [--exit] [--data-dir DIR]"],
  async run(args, terminal) {
    const options = {
      exit: { type: "boolean", default: false },
      "data-dir": { type: "string" },
    } as const;
    const { values } = parse(args, options, 0);
    requireVectorInstructions();
    const directory = values["data-dir"];
    const { runDemo } = await import("../demo/run.ts");
    return await runDemo({
      exit: values.exit,
      dataDir: directory === undefined ? undefined : resolve(terminal.cwd, directory),
      log: createLogger({ level: "error", format: "auto", personalData: false }),
    });
  },
};
