/** `linevoice user create|reset-password|list`. */
import type { CreatedUser, UserAccount } from "../interface/contracts/people.ts";
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

const ROLES = ["owner", "member", "viewer"] as const;

const OPTIONS = {
  tenant: { type: "string" },
  email: { type: "string" },
  name: { type: "string" },
  role: { type: "string" },
  operator: { type: "boolean" },
  mail: { type: "boolean" },
  "remove-second-factor": { type: "boolean" },
} as const;

type Values = ReturnType<typeof parse<typeof OPTIONS>>["values"];

/** Which options go with which action; another is wrong usage. */
const OPTIONS_OF: Readonly<Record<string, readonly string[]>> = {
  create: ["tenant", "email", "name", "role", "operator"],
  "reset-password": ["email", "mail", "remove-second-factor"],
  list: [],
};

export const userCommand: Command = {
  usage: [
    "user create --tenant ID --email E [--name N] [--role owner|member|viewer] [--operator]",
    "user reset-password --email E [--mail] [--remove-second-factor]",
    "user list [--json]",
  ],
  notes: [
    "create prints a one-time link that sets the first password. Default role: owner.",
    "reset-password prints a one-time link; --mail sends it to the person instead.",
  ],
  async run(args, terminal) {
    const { values, words } = parse(args, OPTIONS, 1);
    const [action = ""] = words;
    const fitting = OPTIONS_OF[action];
    if (!fitting) throw new WrongUsage("Say what to do: create, reset-password or list.");
    for (const name of Object.keys(OPTIONS))
      if (values[name as keyof Values] !== undefined && !fitting.includes(name))
        throw new WrongUsage(`--${name} does not go with user ${action}.`);
    if (action === "create") await create(values, terminal);
    else if (action === "reset-password") await resetPassword(values, terminal);
    else await list(values, terminal);
    return 0;
  },
};

async function create(values: Values, terminal: Terminal): Promise<void> {
  const draft = {
    tenant: idFrom(values.tenant, "--tenant"),
    email: required(values.email, "--email"),
    name: values.name ?? null,
    role: roleFrom(values.role),
    operator: values.operator ?? false,
  };
  const created = await operate(configFor(values.config, terminal), "user.create", draft);
  if (values.json) terminal.out(JSON.stringify(created));
  else for (const line of createdLines(created)) terminal.out(line);
}

function roleFrom(text: string | undefined): (typeof ROLES)[number] {
  const role = ROLES.find((known) => known === (text ?? "owner"));
  if (!role) throw new WrongUsage(`--role is ${ROLES.join(", ")}.`);
  return role;
}

function createdLines({ user, made, link }: CreatedUser): string[] {
  const first = made
    ? `User ${user.id}, ${user.email}, was made.`
    : `User ${user.id}, ${user.email}, had an account; it works in this tenant too now.`;
  if (!link) return [first];
  return [
    first,
    "This link sets the password:",
    link.url,
    `It works once, until ${link.expires_at}.`,
  ];
}

async function resetPassword(values: Values, terminal: Terminal): Promise<void> {
  const input = {
    email: required(values.email, "--email"),
    mail: values.mail ?? false,
    remove_second_factor: values["remove-second-factor"] ?? false,
  };
  const made = await operate(configFor(values.config, terminal), "user.reset_password", input);
  if (values.json) terminal.out(JSON.stringify(made));
  else if (!made.link) terminal.out(`A link was mailed to ${made.email}.`);
  else
    for (const line of [
      `This link sets a new password for ${made.email}:`,
      made.link.url,
      `It works once, until ${made.link.expires_at}.`,
    ])
      terminal.out(line);
}

async function list(values: Values, terminal: Terminal): Promise<void> {
  const users = await operate(configFor(values.config, terminal), "user.list", {});
  if (values.json) terminal.out(JSON.stringify(users));
  else for (const line of table([HEADINGS, ...users.map(row)])) terminal.out(line);
}

const HEADINGS = ["ID", "EMAIL", "NAME", "TENANTS", "SECOND FACTOR", "LAST SEEN"];

const row = (user: UserAccount): string[] => [
  String(user.id),
  user.email,
  user.name,
  [
    ...(user.operator ? ["operator"] : []),
    ...user.tenants.map((tenant) => `${tenant.id} ${tenant.role}`),
  ].join(", ") || "none",
  user.second_factor ? "on" : "off",
  user.last_seen_at ?? "never",
];
