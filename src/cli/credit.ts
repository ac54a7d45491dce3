/** `linevoice credit`: the operator's manual wallet entry. */
import { configFor, operate } from "./operator.ts";
import { type Command, idFrom, parse, required, WrongUsage } from "./usage.ts";

export const creditCommand: Command = {
  usage: ["credit --tenant ID --eur N --note TEXT"],
  notes: ["A negative amount takes money off the wallet: --eur=-12.50."],
  async run(args, terminal) {
    const options = {
      tenant: { type: "string" },
      eur: { type: "string" },
      note: { type: "string" },
    } as const;
    const { values } = parse(args, options, 0);
    const eur = required(values.eur, "--eur");
    if (!/^-?\d{1,9}(\.\d{1,6})?$/.test(eur))
      throw new WrongUsage("--eur is an amount such as 25 or 12.50.");
    const input = {
      tenant: idFrom(values.tenant, "--tenant"),
      eur: Number(eur),
      note: required(values.note, "--note"),
    };
    const answer = await operate(configFor(values.config, terminal), "credit", input);
    terminal.out(
      values.json ? JSON.stringify(answer) : `The balance is ${answer.balance_eur.toFixed(2)} EUR.`,
    );
    return 0;
  },
};
