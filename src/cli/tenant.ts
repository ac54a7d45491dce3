/** `linevoice tenant create|list|suspend|resume|dialing`. */
import { asks, commandOf } from "./actions.ts";
import { table } from "./usage.ts";

export const tenantCommand = commandOf("tenant", {
  create: asks("tenant.create", {
    usage: ["tenant create --name N --email E [--plan P]"],
    fields: ["name", "email", "plan"],
  }),
  list: asks("tenant.list", {
    usage: ["tenant list [--json]"],
    lines: (tenants) =>
      table([
        ["ID", "NAME", "EMAIL", "PLAN", "BALANCE", "STATE"],
        ...tenants.map(({ id, name, email, plan, balance_eur: balance, suspended }) => [
          String(id),
          name,
          email,
          plan,
          `${balance.toFixed(2)} EUR`,
          suspended ? "suspended" : "active",
        ]),
      ]),
  }),
  suspend: asks("tenant.suspend", {
    usage: ["tenant suspend ID | resume ID"],
    word: ["ID", "tenant"],
  }),
  resume: asks("tenant.resume", { usage: [], word: ["ID", "tenant"] }),
  dialing: asks("tenant.dialing", {
    usage: [
      "tenant dialing ID [--prefixes +370,+371|own] [--short-numbers 112,1xxx|none]",
      "    [--calls-per-minute N] [--daily-spend EUR|default]",
    ],
    word: ["ID", "tenant"],
    fields: ["short_numbers"],
    as: {
      prefixes: "allowed_prefixes",
      "calls-per-minute": "calls_per_minute_max",
      "daily-spend": "daily_spend_max_eur",
    },
    none: { prefixes: "own", "short-numbers": "none", "daily-spend": "default" },
  }),
});
