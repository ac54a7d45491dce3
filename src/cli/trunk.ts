/** `linevoice trunk set|list|test`. The password is never given on the command line. */
import type { OperatorTrunk } from "../features/trunk/contract.ts";
import { asks, commandOf, secretFrom, secretOptions } from "./actions.ts";
import { table, WrongUsage } from "./usage.ts";

type Place = Pick<OperatorTrunk, "server" | "port" | "username" | "transport">;

const placeOf = ({ username, server, port }: Place): string =>
  port === 0 ? `${username}@${server}` : `${username}@${server}:${port}`;

const overWhat = ({ transport }: Place): string =>
  transport === "auto" ? "auto (from DNS)" : transport.toUpperCase();

const ELSEWHERE = "It is not running here. linevoice nodes shows its node.";

const SIGNS = { ok: "ok", warning: "!!", failed: "NO", unknown: "? " } as const;

export const trunkCommand = commandOf("trunk", {
  set: asks("trunk.set", {
    usage: [
      "trunk set --tenant ID --server H [--port 5060] [--transport udp|tcp|tls|auto] --username U",
      "          (--password-file F | --password-stdin) [--realm R] [--outbound-proxy P]",
      "          --caller-id +370… [--no-register] [--channels N] [--also-from N1,N2]",
    ],
    fields: [
      "tenant",
      "server",
      "port",
      "transport",
      "username",
      "realm",
      "outbound_proxy",
      "caller_id",
      "channels",
    ],
    as: { "also-from": "extra_networks" },
    others: { ...secretOptions("password"), "no-register": { type: "boolean" } },
    async input(values, terminal) {
      const isPeering = values["no-register"] ?? false;
      const { "password-file": file, "password-stdin": stdin } = values;
      const password = await secretFrom("password", file, stdin, terminal);
      if (password === null && !isPeering)
        throw new WrongUsage("--password-file F or --password-stdin is missing.");
      // Without --also-from the trunk has no further networks.
      return { password, register: !isPeering, extra_networks: [] };
    },
  }),
  list: asks("trunk.list", {
    usage: ["trunk list [--json]"],
    lines: (trunks) =>
      table([
        ["ID", "TENANT", "TRUNK", "CALLER ID", "STATUS", ""],
        ...trunks.map((trunk) => [
          String(trunk.id),
          String(trunk.tenant_id),
          `${placeOf(trunk)};${trunk.transport}`,
          trunk.caller_id,
          trunk.status,
          trunk.explanation ?? (trunk.status === "unknown" ? ELSEWHERE : ""),
        ]),
      ]),
  }),
  test: asks("trunk.test", {
    usage: ["trunk test ID [--json]"],
    word: ["ID", "trunk"],
    lines: ({ trunk, checks }) => [
      `Trunk ${trunk.id}: ${placeOf(trunk)} over ${overWhat(trunk)}`,
      ...checks.flatMap(({ name, result, finding, remedy }) => [
        `${SIGNS[result]}  ${name.replace("_", " ").padEnd(13)}  ${finding}`,
        ...(remedy === null ? [] : [`${" ".repeat(19)}${remedy}`]),
      ]),
    ],
    // Exit status 1 lets scripts detect a failed check.
    status: ({ result }) => (result === "failed" ? 1 : 0),
  }),
});
