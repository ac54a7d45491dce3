/** `linevoice tenant create|list|suspend|resume|dialing`. */
import { PREFIX_PATTERN, SHORT_NUMBER_PATTERN } from "../domain/tenant/tenant-settings.ts";
import { configFor, operate } from "./operator.ts";
import {
  type Command,
  idFrom,
  parse,
  required,
  type Terminal,
  table,
  WrongUsage,
} from "./usage.ts";

const OPTIONS = {
  name: { type: "string" },
  email: { type: "string" },
  plan: { type: "string" },
  prefixes: { type: "string" },
  "short-numbers": { type: "string" },
  "calls-per-minute": { type: "string" },
  "daily-spend": { type: "string" },
} as const;

export const tenantCommand: Command = {
  usage: [
    "tenant create --name N --email E [--plan P]",
    "tenant list [--json]",
    "tenant suspend ID | resume ID",
    "tenant dialing ID [--prefixes +370,+371|own] [--short-numbers 112,1xxx|none]",
    "    [--calls-per-minute N] [--daily-spend EUR|default]",
  ],
  async run(args, terminal) {
    const { values, words } = parse(args, OPTIONS, 2);
    const [action, id] = words;
    if ((action === "create" || action === "list") && id !== undefined)
      throw new WrongUsage(`"${id}" is one word too many.`);
    switch (action) {
      case "create":
        return await create(values, terminal);
      case "list":
        return await list(values, terminal);
      case "suspend":
      case "resume":
        return await setSuspended(values, `tenant.${action}`, id, terminal);
      case "dialing":
        return await setDialing(values, id, terminal);
      default:
        throw new WrongUsage("Say what to do: create, list, suspend, resume or dialing.");
    }
  },
};

type Values = ReturnType<typeof parse<typeof OPTIONS>>["values"];

async function create(values: Values, terminal: Terminal): Promise<number> {
  const draft = {
    name: required(values.name, "--name"),
    email: required(values.email, "--email"),
    plan: values.plan ?? null,
  };
  const made = await operate(configFor(values.config, terminal), "tenant.create", draft);
  terminal.out(JSON.stringify(made));
  return 0;
}

async function list(values: Values, terminal: Terminal): Promise<number> {
  const tenants = await operate(configFor(values.config, terminal), "tenant.list", {});
  if (values.json) {
    terminal.out(JSON.stringify(tenants));
    return 0;
  }
  const rows = tenants.map((tenant) => [
    String(tenant.id),
    tenant.name,
    tenant.email,
    tenant.plan,
    `${tenant.balance_eur.toFixed(2)} EUR`,
    tenant.suspended ? "suspended" : "active",
  ]);
  for (const line of table([["ID", "NAME", "EMAIL", "PLAN", "BALANCE", "STATE"], ...rows]))
    terminal.out(line);
  return 0;
}

async function setSuspended(
  values: Values,
  operation: "tenant.suspend" | "tenant.resume",
  id: string | undefined,
  terminal: Terminal,
): Promise<number> {
  const tenant = idFrom(id, "ID");
  const changed = await operate(configFor(values.config, terminal), operation, { tenant });
  terminal.out(JSON.stringify(changed));
  return 0;
}

async function setDialing(
  values: Values,
  id: string | undefined,
  terminal: Terminal,
): Promise<number> {
  const changes = dialingFrom({
    prefixes: values.prefixes,
    shortNumbers: values["short-numbers"],
    callsPerMinute: values["calls-per-minute"],
    dailySpend: values["daily-spend"],
  });
  const input = { tenant: idFrom(id, "ID"), ...changes };
  const rules = await operate(configFor(values.config, terminal), "tenant.dialing", input);
  terminal.out(JSON.stringify(rules));
  return 0;
}

/** A list, or null for the word that stands for the default. Throws WrongUsage. */
function listFrom(
  text: string | undefined,
  option: string,
  none: string,
  pattern: RegExp,
): string[] | null | undefined {
  if (text === undefined || text === none) return text === none ? null : undefined;
  const items = text.split(",");
  const bad = items.find((item) => !pattern.test(item));
  if (bad !== undefined) throw new WrongUsage(`${option} does not take "${bad}".`);
  return items;
}

function numberFrom(
  text: string | undefined,
  option: string,
  isRight: (n: number) => boolean,
): number | undefined {
  if (text === undefined) return undefined;
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (!isRight(number)) throw new WrongUsage(`${option} does not take "${text}".`);
  return number;
}

/** What the options say; what is missing stays as it is. */
function dialingFrom(options: {
  readonly prefixes: string | undefined;
  readonly shortNumbers: string | undefined;
  readonly callsPerMinute: string | undefined;
  readonly dailySpend: string | undefined;
}) {
  const perMinute = (n: number) => Number.isInteger(n) && n >= 1 && n <= 600;
  const cents = (n: number) => n >= 0 && n <= 100_000 && Number(n.toFixed(2)) === n;
  return {
    allowed_prefixes: listFrom(options.prefixes, "--prefixes", "own", PREFIX_PATTERN),
    short_numbers: listFrom(options.shortNumbers, "--short-numbers", "none", SHORT_NUMBER_PATTERN),
    calls_per_minute_max: numberFrom(options.callsPerMinute, "--calls-per-minute", perMinute),
    daily_spend_max_eur:
      options.dailySpend === "default"
        ? null
        : numberFrom(options.dailySpend, "--daily-spend", cents),
  };
}
