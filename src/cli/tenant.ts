/** `linevoice tenant create|list|suspend|resume`. */
import { configFor, operate } from "./operator.ts";
import { type Command, idFrom, parse, required, table, WrongUsage } from "./usage.ts";

export const tenantCommand: Command = {
  usage: [
    "tenant create --name N --email E [--plan P]",
    "tenant list [--json]",
    "tenant suspend ID | resume ID",
  ],
  async run(args, terminal) {
    const options = {
      name: { type: "string" },
      email: { type: "string" },
      plan: { type: "string" },
    } as const;
    const { values, words } = parse(args, options, 2);
    const [action, id] = words;
    if ((action === "create" || action === "list") && id !== undefined)
      throw new WrongUsage(`"${id}" is one word too many.`);
    switch (action) {
      case "create": {
        const draft = {
          name: required(values.name, "--name"),
          email: required(values.email, "--email"),
          plan: values.plan ?? null,
        };
        const made = await operate(configFor(values.config, terminal), "tenant.create", draft);
        terminal.out(JSON.stringify(made));
        return 0;
      }
      case "list": {
        const tenants = await operate(configFor(values.config, terminal), "tenant.list", {});
        if (values.json) terminal.out(JSON.stringify(tenants));
        else
          for (const line of table([
            ["ID", "NAME", "EMAIL", "PLAN", "BALANCE", "STATE"],
            ...tenants.map((tenant) => [
              String(tenant.id),
              tenant.name,
              tenant.email,
              tenant.plan,
              `${tenant.balance_eur.toFixed(2)} EUR`,
              tenant.suspended ? "suspended" : "active",
            ]),
          ]))
            terminal.out(line);
        return 0;
      }
      case "suspend":
      case "resume": {
        const tenant = idFrom(id, "ID");
        const loaded = configFor(values.config, terminal);
        const changed = await operate(loaded, `tenant.${action}`, { tenant });
        terminal.out(JSON.stringify(changed));
        return 0;
      }
      default:
        throw new WrongUsage("Say what to do: create, list, suspend or resume.");
    }
  },
};
