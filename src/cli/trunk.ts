/** `linevoice trunk set|list|test`. The password never stands on the command line. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isE164 } from "../core/e164.ts";
import { EXTRA_NETWORKS_MAX, TRUNK_CHANNELS_MAX } from "../domain/call/sip-port.ts";
import { isHost, isNetwork, parseHostPort } from "../platform/config/formats.ts";
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

const TRANSPORTS = ["udp", "tcp", "tls", "auto"] as const;

const SET_OPTIONS = {
  tenant: { type: "string" },
  server: { type: "string" },
  port: { type: "string" },
  transport: { type: "string", default: "udp" },
  username: { type: "string" },
  "password-file": { type: "string" },
  "password-stdin": { type: "boolean", default: false },
  realm: { type: "string" },
  "outbound-proxy": { type: "string" },
  "caller-id": { type: "string" },
  "no-register": { type: "boolean", default: false },
  channels: { type: "string" },
  "also-from": { type: "string" },
} as const;

export const trunkCommand: Command = {
  usage: [
    "trunk set --tenant ID --server H [--port 5060] [--transport udp|tcp|tls|auto] --username U",
    "          (--password-file F | --password-stdin) [--realm R] [--outbound-proxy P]",
    "          --caller-id +370… [--no-register] [--channels N] [--also-from N1,N2]",
    "trunk list [--json]",
    "trunk test ID [--json]",
  ],
  async run(args, terminal) {
    const { values, words } = parse(args, SET_OPTIONS, 2);
    if (words[0] === "test") return await test(values, words[1], terminal);
    if (words[1] !== undefined) throw new WrongUsage(`"${words[1]}" is one word too many.`);
    if (words[0] === "set") return await set(values, terminal);
    if (words[0] === "list") return await list(values, terminal);
    throw new WrongUsage("Say what to do: set, list or test.");
  },
};

type Values = ReturnType<typeof parse<typeof SET_OPTIONS>>["values"];

async function set(values: Values, terminal: Terminal): Promise<number> {
  const server = required(values.server, "--server");
  if (!isHost(server)) throw new WrongUsage("--server is a host name or an IP address.");
  // Not stated: the server's DNS says (RFC 3263), and where it does not, the usual one is taken.
  const port = Number(values.port ?? 0);
  const stated = values.port !== undefined;
  if (!Number.isInteger(port) || (stated && port < 1) || port > 65_535)
    throw new WrongUsage("--port is a number from 1 to 65535.");
  const transport = TRANSPORTS.find((name) => name === values.transport);
  if (!transport) throw new WrongUsage("--transport is udp, tcp, tls or auto.");
  const callerId = required(values["caller-id"], "--caller-id");
  if (!isE164(callerId)) throw new WrongUsage("--caller-id is in E.164, e.g. +37052123456.");
  const proxy = values["outbound-proxy"] ?? null;
  if (proxy !== null && !isHost(proxy) && !parseHostPort(proxy))
    throw new WrongUsage("--outbound-proxy is host or host:port.");
  const input = {
    tenant: idFrom(values.tenant, "--tenant"),
    server,
    port: stated ? port : undefined,
    transport,
    username: required(values.username, "--username"),
    password: await passwordOf(values, terminal),
    realm: values.realm ?? null,
    outbound_proxy: proxy,
    caller_id: callerId,
    register: !values["no-register"],
    channels: channelsOf(values.channels),
    extra_networks: networksOf(values["also-from"]),
  };
  const trunk = await operate(configFor(values.config, terminal), "trunk.set", input);
  terminal.out(JSON.stringify(trunk));
  return 0;
}

/** Addresses and networks that the carrier sends calls from besides its server's. */
function networksOf(text: string | undefined): string[] {
  const networks = (text ?? "").split(",").map((network) => network.trim());
  const stated = networks.filter((network) => network !== "");
  if (stated.length > EXTRA_NETWORKS_MAX || !stated.every(isNetwork))
    throw new WrongUsage(
      `--also-from is up to ${EXTRA_NETWORKS_MAX} addresses or networks, e.g. 192.0.2.7,198.51.100.0/24.`,
    );
  return stated;
}

/** Not stated: no cap of the trunk's own. */
function channelsOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const channels = Number(text);
  if (!Number.isInteger(channels) || channels < 1 || channels > TRUNK_CHANNELS_MAX)
    throw new WrongUsage(`--channels is a number from 1 to ${TRUNK_CHANNELS_MAX}.`);
  return channels;
}

/** IP peering (`--no-register`) may do without one. */
async function passwordOf(values: Values, { cwd }: Terminal): Promise<string | null> {
  const file = values["password-file"];
  if (file !== undefined && values["password-stdin"])
    throw new WrongUsage("Give --password-file or --password-stdin, not both.");
  if (file === undefined && !values["password-stdin"]) {
    if (values["no-register"]) return null;
    throw new WrongUsage("--password-file F or --password-stdin is missing.");
  }
  const text =
    file === undefined ? await Bun.stdin.text() : readFileSync(resolve(cwd, file), "utf8");
  const password = text.replace(/\r?\n$/, "");
  if (password === "" || /[\r\n\0]/.test(password))
    throw new WrongUsage("The password is one line that is not empty.");
  return password;
}

async function list(values: Values, terminal: Terminal): Promise<number> {
  const trunks = await operate(configFor(values.config, terminal), "trunk.list", {});
  if (values.json) {
    terminal.out(JSON.stringify(trunks));
    return 0;
  }
  const rows = trunks.map((trunk) => [
    String(trunk.id),
    String(trunk.tenant_id),
    `${trunk.username}@${placeOf(trunk)};${trunk.transport}`,
    trunk.caller_id,
    trunk.status,
    trunk.explanation ?? "",
  ]);
  for (const line of table([["ID", "TENANT", "TRUNK", "CALLER ID", "STATUS", ""], ...rows]))
    terminal.out(line);
  return 0;
}

const placeOf = ({ server, port }: { server: string; port: number }): string =>
  port === 0 ? server : `${server}:${port}`;

const overWhat = ({ transport }: { transport: string }): string =>
  transport === "auto" ? "whatever its DNS says" : transport.toUpperCase();

const SIGNS = { ok: "ok", warning: "!!", failed: "NO", unknown: "? " } as const;

/** Exit status 1 when a check failed: fit for scripts. */
async function test(values: Values, id: string | undefined, terminal: Terminal): Promise<number> {
  const input = { trunk: idFrom(id, "ID") };
  const report = await operate(configFor(values.config, terminal), "trunk.test", input);
  const status = report.result === "failed" ? 1 : 0;
  if (values.json) {
    terminal.out(JSON.stringify(report));
    return status;
  }
  const { trunk } = report;
  terminal.out(`Trunk ${trunk.id}: ${trunk.username}@${placeOf(trunk)} over ${overWhat(trunk)}`);
  for (const { name, result, finding, remedy } of report.checks) {
    terminal.out(`${SIGNS[result]}  ${name.replace("_", " ").padEnd(13)}  ${finding}`);
    if (remedy !== null) terminal.out(`${" ".repeat(19)}${remedy}`);
  }
  return status;
}
