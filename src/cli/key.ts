/** `linevoice key create` and `linevoice key rotate-master`. */
import { loadConfig } from "../config/load.ts";
import { systemRandom } from "../core/random.ts";
import { rotateMasterKey } from "./key-rotation.ts";
import { configFor, operate } from "./operator.ts";
import { type Command, idFrom, parse, required, WrongUsage } from "./usage.ts";

export const keyCommand: Command = {
  usage: ["key create --tenant ID --label L", "key rotate-master [--json]"],
  async run(args, terminal) {
    const options = { tenant: { type: "string" }, label: { type: "string" } } as const;
    const { values, words } = parse(args, options, 1);
    if (words[0] === "rotate-master") {
      if (values.tenant !== undefined || values.label !== undefined)
        throw new WrongUsage("rotate-master takes neither --tenant nor --label.");
      const from = { path: values.config, env: terminal.env, cwd: terminal.cwd };
      const done = await rotateMasterKey(loadConfig(from), systemRandom);
      if (values.json) terminal.out(JSON.stringify(done));
      else {
        terminal.out(`${done.sealed} secrets are sealed under a new master key.`);
        terminal.out(`Keep a copy of ${done.key_file} in a safe place, apart from the backups.`);
      }
      return 0;
    }
    if (words[0] !== "create") throw new WrongUsage("Say what to do: create or rotate-master.");
    const input = {
      tenant: idFrom(values.tenant, "--tenant"),
      label: required(values.label, "--label"),
    };
    const key = await operate(configFor(values.config, terminal), "key.create", input);
    terminal.out(JSON.stringify(key));
    return 0;
  },
};
