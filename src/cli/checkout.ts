/** `linevoice checkout`: lists expected bank transfers and confirms one that arrived. */
import { asks, commandOf } from "./actions.ts";
import { table } from "./usage.ts";

const eur = (amount: number) => `${amount.toFixed(2)} EUR`;

export const checkoutCommand = commandOf("checkout", {
  list: asks("checkout.list", {
    usage: ["checkout list [--search TEXT] [--limit N] [--offset N] [--json]"],
    fields: ["search", "limit", "offset"],
    lines: (awaited) =>
      table([
        ["ID", "TENANT", "FOR", "AMOUNT", "UNTIL"],
        ...awaited.map(({ id, tenant_id, kind, item, amount_eur, expires_at }) => [
          id,
          String(tenant_id),
          item === null ? kind : `${kind} ${item}`,
          eur(amount_eur),
          expires_at.slice(0, 10),
        ]),
      ]),
  }),
  confirm: asks("checkout.confirm", {
    usage: ["checkout confirm ID [--json]"],
    word: ["ID", "id"],
    lines: ({ id, amount_eur, tenant_id }) => [
      `${id} is paid: ${eur(amount_eur)} from tenant ${tenant_id}.`,
    ],
  }),
});
