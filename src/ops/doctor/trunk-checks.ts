/** Checks of the path to the carriers: DNS, NAT, and routers that rewrite SIP. */
import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { describeError } from "../../core/errors.ts";
import { createDns, type SipDns } from "../../sip/routing/dns.ts";
import { parseHostPort } from "../../sip/transport/host-port.ts";
import type { TrunkCheck } from "../../sip/trunk-checks.ts";
import { openReadOnly } from "../../store/sqlite/read-only.ts";
import {
  type Check,
  type ExaminedAppliance,
  type ExaminedTrunkTest,
  type Finding,
  failed,
  ok,
  skipped,
  type TrunkServer,
  warning,
} from "./check.ts";

const SERVERS_MAX = 20;
const KERNEL_MODULES = "/proc/modules";
const KERNEL_ALGS = /^(nf_nat_sip|nf_conntrack_sip|ip_nat_sip|ip_conntrack_sip) /gm;

export const trunkDns: Check = {
  name: "DNS",
  async run(appliance) {
    const servers = serversOf(appliance);
    const named = servers.filter(({ server }) => isIP(server.replace(/^\[|\]$/g, "")) === 0);
    if (servers.length === 0) return skipped("No trunk has a server to look up.");
    if (named.length === 0) return ok("Trunks use IP addresses; DNS is not needed.");
    const dns = appliance.dns ?? createDns();
    const findings = await Promise.all(named.map((server) => lookUp(server, dns)));
    return worstOf(findings);
  },
};

/** Trunks of the running server, or else the stored ones. */
function serversOf({ trunks, databasePath, config }: ExaminedAppliance): TrunkServer[] {
  const all = (trunks ?? storedServers(databasePath)).map((trunk) =>
    nextHop(trunk, trunk.outbound_proxy ?? config.sip.outbound_proxy),
  );
  const unique = new Map(
    all.map((each) => [`${each.server} ${each.port} ${each.transport}`, each]),
  );
  return [...unique.values()].slice(0, SERVERS_MAX);
}

/** Behind an outbound proxy only the proxy's name must resolve. */
function nextHop(trunk: TrunkServer, outboundProxy: string | null): TrunkServer {
  const proxy = parseHostPort(outboundProxy ?? "");
  return proxy ? { ...trunk, server: proxy.host, port: proxy.port ?? 0 } : trunk;
}

function storedServers(databasePath: string): TrunkServer[] {
  if (!existsSync(databasePath)) return [];
  const stored = openReadOnly(databasePath);
  try {
    return stored.sqlite
      .query<TrunkServer, []>(
        "SELECT server, port, transport, outbound_proxy FROM trunks ORDER BY id LIMIT 1000",
      )
      .all();
  } finally {
    stored.close();
  }
}

const PREFIXES = {
  udp: ["_sip._udp."],
  tcp: ["_sip._tcp."],
  tls: ["_sips._tcp."],
  auto: ["_sip._udp.", "_sip._tcp.", "_sips._tcp."],
} as const;

/** Asks for SRV if no port is set (RFC 3263 4.2), otherwise for the name's addresses. */
async function lookUp({ server, port, transport }: TrunkServer, dns: SipDns): Promise<Finding> {
  try {
    if (port === 0)
      for (const prefix of PREFIXES[transport]) {
        const records = await dns.srv(`${prefix}${server}`);
        if (records.length > 0) return await judgeSrv(`${prefix}${server}`, records, dns);
      }
    const { addresses } = await dns.addresses(server);
    const srv = port === 0 ? " has no SRV record, which is allowed, and" : "";
    return addresses.length > 0
      ? ok(`${server}${srv} resolves to ${addresses.slice(0, 4).join(", ")}.`)
      : failed(
          `${server} does not resolve: it has ${port === 0 ? "neither SRV nor" : "no"} address records.`,
          `Check its spelling: dig +short ${server}; then: linevoice trunk set --server NAME …`,
        );
  } catch (error) {
    return failed(
      `DNS does not answer for ${server}: ${describeError(error)}`,
      `Check this machine's DNS: dig +short ${server}; cat /etc/resolv.conf`,
    );
  }
}

async function judgeSrv(
  name: string,
  records: readonly { readonly name: string; readonly port: number }[],
  dns: SipDns,
): Promise<Finding> {
  const found = await Promise.all(
    records.slice(0, SERVERS_MAX).map(async (record) => ({
      place: `${record.name}:${record.port}`,
      reachable: (await dns.addresses(record.name).catch(() => null))?.addresses.length ?? 0,
    })),
  );
  const listed = found.map(({ place }) => place).join(", ");
  const lost = found.filter(({ reachable }) => reachable === 0).map(({ place }) => place);
  const remedy = `Report it to the provider. To check: dig +short SRV ${name}`;
  if (lost.length === found.length)
    return failed(`${name} lists ${listed}, and none of them has an address.`, remedy);
  if (lost.length > 0)
    return warning(`${name} lists ${listed}; without an address: ${lost.join(", ")}.`, remedy);
  return ok(`${name} lists ${listed}.`);
}

export const nat: Check = {
  name: "NAT",
  run: async (appliance) =>
    ofTrunks(await testsOf(appliance), "nat", "Trunks do not report our public address."),
};

export const sipAlg: Check = {
  name: "SIP ALG",
  async run(appliance) {
    const found = ofTrunks(await testsOf(appliance), "alg", "No device changes SIP on the way.");
    if (found.result === "warning" || found.result === "failed") return found;
    const helpers = kernelHelpers();
    if (helpers.length > 0)
      return warning(
        `The kernel of this machine has loaded SIP helpers: ${helpers.join(", ")}.`,
        `modprobe -r ${helpers.join(" ")}`,
      );
    return found;
  },
};

/** Netfilter's SIP helper, if this machine is also the router. */
function kernelHelpers(): string[] {
  const modules = existsSync(KERNEL_MODULES) ? readFileSync(KERNEL_MODULES, "utf8") : "";
  return [...modules.matchAll(KERNEL_ALGS)].flatMap(([, name]) => (name ? [name] : []));
}

const testsOf = async ({
  trunkTests,
}: ExaminedAppliance): Promise<readonly ExaminedTrunkTest[] | null> =>
  trunkTests ? await trunkTests() : null;

/** The worst result of one check over all trunks that responded. `quiet`: the result if none responded. */
function ofTrunks(
  tests: readonly ExaminedTrunkTest[] | null,
  name: TrunkCheck["name"],
  quiet: string,
): Finding {
  if (tests === null) return skipped("The server is not running, so trunks cannot be tested.");
  const answered = tests.filter(({ options_code }) => options_code !== null);
  if (tests.length === 0) return skipped("There is no trunk to test.");
  if (answered.length === 0) return skipped("No trunk responds. See the check of trunks.");
  const findings = answered.flatMap(({ checks, trunk }) =>
    checks
      .filter((check) => check.name === name)
      .map(({ result, finding, remedy }): Finding => {
        const text = `Trunk ${trunk.id} (${trunk.server}): ${finding}`;
        if (result === "unknown" || remedy === null) return ok(text);
        return result === "failed" ? failed(text, remedy) : warning(text, remedy);
      }),
  );
  return findings.length === 0 ? ok(quiet) : worstOf(findings);
}

/** Only the worst result if there is a problem, otherwise all results. */
function worstOf(findings: readonly Finding[]): Finding {
  const worst =
    findings.find(({ result }) => result === "failed") ??
    findings.find(({ result }) => result === "warning");
  return worst ?? ok(findings.map(({ finding }) => finding).join(" "));
}
