/** `linevoice key create`. */
import { configFor, operate } from "./operator.ts";
import { type Command, idFrom, parse, required, WrongUsage } from "./usage.ts";

export const keyCommand: Command = {
  summary: "make an API key; its secret is shown once",
  usage: ["key create --tenant ID --label L"],
  async run(args, terminal) {
    const options = { tenant: { type: "string" }, label: { type: "string" } } as const;
    const { values, words } = parse(args, options, 1);
    if (words[0] !== "create") throw new WrongUsage("Say what to do: create.");
    const input = {
      tenant: idFrom(values.tenant, "--tenant"),
      label: required(values.label, "--label"),
    };
    const key = await operate(configFor(values.config, terminal), "key.create", input);
    terminal.out(JSON.stringify(key));
    return 0;
  },
};
