/** `linevoice checkout`: bank transfers that are awaited, and the operator's word that one arrived. */
import type { Checkout } from "../interface/contracts/money.ts";
import { configFor, operate } from "./operator.ts";
import { type Command, parse, required, table, WrongUsage } from "./usage.ts";

const eur = (amount: number) => `${amount.toFixed(2)} EUR`;

const rowOf = (checkout: Checkout): string[] => [
  checkout.id,
  String(checkout.tenant_id),
  checkout.item === null ? checkout.kind : `${checkout.kind} ${checkout.item}`,
  eur(checkout.amount_eur),
  checkout.expires_at.slice(0, 10),
];

export const checkoutCommand: Command = {
  usage: ["checkout list [--json]", "checkout confirm ID [--json]"],
  async run(args, terminal) {
    const { values, words } = parse(args, {}, 2);
    const [action, id] = words;
    if (action === "list" && id !== undefined)
      throw new WrongUsage(`"${id}" is one word too many.`);
    switch (action) {
      case "list": {
        const awaited = await operate(configFor(values.config, terminal), "checkout.list", {});
        if (values.json) terminal.out(JSON.stringify(awaited));
        else
          for (const line of table([
            ["ID", "TENANT", "FOR", "AMOUNT", "UNTIL"],
            ...awaited.map(rowOf),
          ]))
            terminal.out(line);
        return 0;
      }
      case "confirm": {
        const input = { id: required(id, "ID") };
        const paid = await operate(configFor(values.config, terminal), "checkout.confirm", input);
        terminal.out(
          values.json
            ? JSON.stringify(paid)
            : `${paid.id} is paid: ${eur(paid.amount_eur)} from tenant ${paid.tenant_id}.`,
        );
        return 0;
      }
      default:
        throw new WrongUsage("Say what to do: list or confirm.");
    }
  },
};
