/** `linevoice credit`: the operator's manual wallet entry. */
import { asks, singleCommand } from "./actions.ts";

export const creditCommand = singleCommand(
  asks("credit", {
    usage: ["credit --tenant ID --eur N --note TEXT"],
    fields: ["tenant", "eur", "note"],
    lines: ({ balance_eur: balance }) => [`The balance is ${balance.toFixed(2)} EUR.`],
  }),
  ["A negative amount reduces the balance: --eur=-12.50."],
);
