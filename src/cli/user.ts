/** `linevoice user create|reset-password|list`. */
import type { OneTimeUrl, UserAccount } from "../features/identity/contract.ts";
import { asks, commandOf } from "./actions.ts";
import { table } from "./usage.ts";

/** A one-time link below a sentence that describes it. */
export const linkLines = (what: string, { url, expires_at: until }: OneTimeUrl): string[] => [
  what,
  url,
  `It works once, until ${until}.`,
];

const rowOf = (user: UserAccount): string[] => [
  String(user.id),
  user.email,
  user.name,
  [
    ...(user.operator ? ["operator"] : []),
    ...user.tenants.map(({ id, role }) => `${id} ${role}`),
  ].join(", ") || "none",
  user.second_factor ? "on" : "off",
  user.last_seen_at ?? "never",
];

export const userCommand = commandOf(
  "user",
  {
    create: asks("user.create", {
      usage: [
        "user create --tenant ID --email E [--name N] [--role owner|member|viewer] [--operator]",
      ],
      fields: ["tenant", "email", "name", "role", "operator"],
      lines: ({ user: { id, email }, made, link }) => [
        made
          ? `User ${id}, ${email}, was created.`
          : `User ${id}, ${email}, already had an account and has been added to this tenant.`,
        ...(link ? linkLines("This link sets the password:", link) : []),
      ],
    }),
    "reset-password": asks("user.reset_password", {
      usage: ["user reset-password --email E [--mail] [--remove-second-factor]"],
      fields: ["email", "mail", "remove_second_factor"],
      lines: ({ email, link }) =>
        link
          ? linkLines(`This link sets a new password for ${email}:`, link)
          : [`The link was sent by email to ${email}.`],
    }),
    list: asks("user.list", {
      usage: ["user list [--json]"],
      lines: (users) =>
        table([
          ["ID", "EMAIL", "NAME", "TENANTS", "SECOND FACTOR", "LAST SEEN"],
          ...users.map(rowOf),
        ]),
    }),
  },
  [
    "create prints a one-time link to set the first password. Default role: owner.",
    "reset-password prints a one-time link. --mail sends it to the person instead.",
  ],
);
