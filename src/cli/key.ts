/** `linevoice key create` and `linevoice key rotate-master`. */
import { z } from "zod";
import { isoUtc, systemClock } from "../core/clock.ts";
import { systemRandom } from "../core/random.ts";
import { timeIn } from "../core/schema.ts";
import { action, asks, commandOf } from "./actions.ts";
import { type Rotation, rotateMasterKey } from "./key-rotation.ts";
import { invokerConfig } from "./operator.ts";
import { WrongUsage } from "./usage.ts";

const DAY_MS = 86_400_000;

export const keyCommand = commandOf(
  "key",
  {
    create: asks("key.create", {
      usage: [
        "key create --tenant ID --label L [--scopes read,calls,manage] [--expires 90d] [--networks N,…]",
      ],
      fields: ["tenant", "label", "scopes", "networks"],
      others: { expires: { type: "string" } },
      input: ({ expires }) =>
        expires === undefined ? {} : { expires_at: expiryFrom(expires, systemClock.now()) },
    }),
    "rotate-master": action({
      usage: ["key rotate-master [--purposes] [--json]"],
      options: { purposes: { type: "boolean" } },
      async run({ values, terminal }) {
        const loaded = invokerConfig(values.config, terminal);
        const done = await rotateMasterKey(loaded, values.purposes ?? false, systemRandom);
        if (values.json) terminal.out(JSON.stringify(done));
        else
          for (const line of rotationLines(done, loaded.config.storage.database !== "file"))
            terminal.out(line);
        return 0;
      },
    }),
  },
  [
    "--scopes: read: view. calls: place and end calls. manage: change everything else. Default: all.",
    "--expires: days from now (90d) or a date (2027-01-31, its start in UTC). Default: never.",
    "--networks: addresses from which the key can be used, such as 192.0.2.7,10.0.0.0/8. Default: everywhere.",
    "--purposes: also ends existing recording links, passkey challenges and recovery codes.",
  ],
);

function rotationLines(done: Rotation, isShared: boolean): string[] {
  const others = `Copy ${done.key_file} to every other node and restart that node. Until then, it cannot read new secrets and accepts old links.`;
  return [
    `${done.sealed} secrets re-encrypted with the new master key.`,
    `Keep a copy of ${done.key_file} in a safe place, separate from the backups.`,
    "Existing backups need the old key. Create a new backup, and keep a copy of the old key as long as you keep the old backups.",
    ...(isShared ? [others] : []),
    ...(done.purposes ? ended(done.people_without_recovery_codes) : STILL_VALID),
  ];
}

const STILL_VALID = [
  "Existing recording links, passkey challenges and recovery codes stay valid.",
  "If somebody else may have the old key and the database, run: linevoice key rotate-master --purposes",
];

const ended = (people: number) => [
  "No longer valid: existing recording links, passkey sign-ins and registrations in progress, and all recovery codes.",
  `People without recovery codes now: ${people}. To get new codes, each person must remove the authenticator in the profile and set it up again.`,
];

/** ISO 8601. */
function expiryFrom(text: string, nowMs: number): string {
  const days = /^([1-9]\d{0,3})d$/.exec(text)?.[1];
  const time = z.union([z.iso.date(), timeIn()]).safeParse(text).data ?? "";
  const atMs = days ? nowMs + Number(days) * DAY_MS : Date.parse(time);
  if (!(atMs > nowMs))
    throw new WrongUsage(
      "--expires must be a number of days such as 90d, or a future time such as 2027-11-21 or 2027-11-21T10:00:00Z.",
    );
  return isoUtc(atMs);
}
