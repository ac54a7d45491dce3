/** `linevoice key create` and `linevoice key rotate-master`. */

import { systemClock } from "../core/clock.ts";
import { systemRandom } from "../core/random.ts";
import { isKeyNetwork, KEY_SCOPES, type KeyScope } from "../domain/tenant/key-limits.ts";
import { loadConfig } from "../operations/config/load.ts";
import { type Rotation, rotateMasterKey } from "./key-rotation.ts";
import { configFor, operate } from "./operator.ts";
import { type Command, idFrom, parse, required, type Terminal, WrongUsage } from "./usage.ts";

const DAY_MS = 86_400_000;

const OPTIONS = {
  tenant: { type: "string" },
  label: { type: "string" },
  scopes: { type: "string" },
  expires: { type: "string" },
  networks: { type: "string" },
  purposes: { type: "boolean" },
} as const;

type Values = ReturnType<typeof parse<typeof OPTIONS>>["values"];

export const keyCommand: Command = {
  usage: [
    "key create --tenant ID --label L [--scopes read,calls,manage] [--expires 90d] [--networks N,…]",
    "key rotate-master [--purposes] [--json]",
  ],
  notes: [
    "--scopes: read shows, calls places and ends calls, manage changes everything else. Default: all.",
    "--expires: days from now (90d) or a date (2027-01-31, its start in UTC). Default: never.",
    "--networks: addresses it may come from, such as 192.0.2.7,10.0.0.0/8. Default: everywhere.",
    "--purposes: ends recording links, passkey challenges and recovery codes made before, too.",
  ],
  async run(args, terminal) {
    const { values, words } = parse(args, OPTIONS, 1);
    if (words[0] === "rotate-master") return await rotate(values, terminal);
    if (words[0] !== "create") throw new WrongUsage("Say what to do: create or rotate-master.");
    if (values.purposes) throw new WrongUsage("--purposes goes with rotate-master.");
    const input = {
      tenant: idFrom(values.tenant, "--tenant"),
      label: required(values.label, "--label"),
      scopes: scopesFrom(values.scopes),
      expires_at: expiryFrom(values.expires, systemClock.now()),
      networks: networksFrom(values.networks),
    };
    const key = await operate(configFor(values.config, terminal), "key.create", input);
    terminal.out(JSON.stringify(key));
    return 0;
  },
};

async function rotate(values: Values, terminal: Terminal): Promise<number> {
  for (const name of Object.keys(OPTIONS) as (keyof typeof OPTIONS)[])
    if (name !== "purposes" && values[name] !== undefined)
      throw new WrongUsage(`rotate-master takes no --${name}.`);
  const from = { path: values.config, env: terminal.env, cwd: terminal.cwd };
  const loaded = loadConfig(from);
  const done = await rotateMasterKey(loaded, values.purposes ?? false, systemRandom);
  if (values.json) terminal.out(JSON.stringify(done));
  else
    for (const line of rotationLines(done, loaded.config.storage.database !== "file"))
      terminal.out(line);
  return 0;
}

function rotationLines(done: Rotation, isShared: boolean): string[] {
  const others = `Copy ${done.key_file} to every other node and restart it: until then it reads no new secret and keeps the old links.`;
  return [
    `${done.sealed} secrets are sealed under a new master key.`,
    `Keep a copy of ${done.key_file} in a safe place, apart from the backups.`,
    ...(isShared ? [others] : []),
    ...(done.purposes ? ended(done.people_without_recovery_codes) : STILL_VALID),
  ];
}

const STILL_VALID = [
  "Recording links, passkey challenges and recovery codes made before stay valid.",
  "If the old key and the database may be in other hands, run: linevoice key rotate-master --purposes",
];

const ended = (people: number) => [
  "No longer valid: recording links sent before, passkey sign-ins and registrations under way, and all recovery codes.",
  `People without recovery codes now: ${people}. To get new ones, each takes the authenticator off in the profile and sets it up again.`,
];

const listFrom = (text: string) => text.split(",").map((part) => part.trim());

const isScope = (text: string): text is KeyScope => KEY_SCOPES.some((scope) => scope === text);

function scopesFrom(text: string | undefined): KeyScope[] | null {
  if (text === undefined) return null;
  const scopes = listFrom(text);
  if (!scopes.every(isScope))
    throw new WrongUsage(`--scopes is a list of ${KEY_SCOPES.join(", ")}, such as read,calls.`);
  return scopes;
}

function networksFrom(text: string | undefined): string[] | null {
  if (text === undefined) return null;
  const networks = listFrom(text);
  if (!networks.every(isKeyNetwork))
    throw new WrongUsage("--networks is a list such as 192.0.2.7,10.0.0.0/8.");
  return networks;
}

/** Milliseconds since the epoch. */
function expiryFrom(text: string | undefined, nowMs: number): number | null {
  if (text === undefined) return null;
  const days = /^([1-9]\d{0,3})d$/.exec(text)?.[1];
  const atMs = days ? nowMs + Number(days) * DAY_MS : isDate(text) ? Date.parse(text) : Number.NaN;
  if (!(atMs > nowMs))
    throw new WrongUsage("--expires is a number of days such as 90d, or a date to come.");
  return atMs;
}

/** A day, or a time with its zone. */
const isDate = (text: string) => /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(text);
