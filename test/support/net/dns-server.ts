/**
 * A DNS server (RFC 1035) on loopback UDP with the test's zone, and a resolver that uses it, so
 * that queries go over the network. TTLs are 0 by default, so every look-up is a new query and an
 * address can change.
 */
import { Resolver } from "node:dns";
import { isIPv6 } from "node:net";
import { parseAddress } from "../../../src/platform/net/ip-address.ts";
import type { Resolve } from "../../../src/platform/net/outbound-http.ts";
import type { NaptrRecord, SrvRecord } from "../../../src/sip/routing/dns.ts";

/** Addresses of both families, optionally behind an alias (CNAME); or how the server fails. */
export type DnsAnswer =
  | readonly string[]
  | { readonly alias: string; readonly to: string[] }
  | { readonly srv: readonly SrvRecord[] }
  | { readonly naptr: readonly NaptrRecord[] }
  | Failure;
type Failure = "no such name" | "server failure" | "silence" | "junk";

export interface DnsServer {
  /** Each look-up of a name uses the next answer; the last one repeats. */
  readonly zone: Map<string, readonly DnsAnswer[]>;
  /** TTL of addresses in seconds. */
  ttl: number;
  /** `address:port`, for programs that query the server directly. */
  readonly address: string;
  /** Number of look-ups of a name; default type: addresses. */
  lookups(name: string, type?: keyof typeof TYPES): number;
  /** For `GuardedClientOptions.resolve`. */
  readonly resolve: Resolve;
  close(): void;
}

const TYPES = { A: 1, CNAME: 5, AAAA: 28, SRV: 33, NAPTR: 35 } as const;
const RCODES = { "no such name": 3, "server failure": 2 } as const;
const HEADER_BYTES = 12;

const u16 = (value: number) => [value >> 8, value & 0xff];

function nameBytes(name: string): number[] {
  const labels = name.split(".").map((label) => [label.length, ...Buffer.from(label, "latin1")]);
  return [...labels.flat(), 0];
}

/** The only question: its name in lower case, its type, and its end offset. */
function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function record(name: string, type: number, data: readonly number[], ttl = 0): number[] {
  const head = [...nameBytes(name), ...u16(type), 0, 1, 0, 0, ...u16(ttl)];
  return [...head, ...u16(data.length), ...data];
}

const text = (value: string) => [value.length, ...Buffer.from(value, "latin1")];

/** RFC 2782, RFC 3403. */
function serviceRecords(name: string, answer: DnsAnswer): { type: number; record: number[] }[] {
  if (typeof answer === "string") return [];
  if ("srv" in answer)
    return answer.srv.map(({ priority, weight, port, name: target }) => ({
      type: TYPES.SRV,
      record: record(name, TYPES.SRV, [
        ...[priority, weight, port].flatMap(u16),
        ...nameBytes(target),
      ]),
    }));
  if (!("naptr" in answer)) return [];
  return answer.naptr.map(({ order, preference, flags, service, replacement }) => ({
    type: TYPES.NAPTR,
    record: record(name, TYPES.NAPTR, [
      ...[order, preference].flatMap(u16),
      ...[flags, service, ""].flatMap(text),
      ...nameBytes(replacement),
    ]),
  }));
}

function addressBytes(text: string): number[] {
  const address = parseAddress(text);
  if (!address) throw new Error(`not an address: ${text}`);
  const hex = address.bits.toString(16).padStart(address.version === 4 ? 8 : 32, "0");
  return [...Buffer.from(hex, "hex")];
}

const addressesOf = (
  answer: Exclude<DnsAnswer, Failure | { srv: unknown } | { naptr: unknown }>,
) => ("alias" in answer ? answer.to : answer);

function respond(query: Buffer, answer: DnsAnswer, ttl: number): Buffer | null {
  if (answer === "silence") return null;
  if (answer === "junk") return Buffer.from(query.subarray(0, 5));
  const { name, type, end } = questionOf(query);
  const failed = typeof answer === "string";
  const alias = !failed && "alias" in answer ? answer : null;
  const addresses = failed || "srv" in answer || "naptr" in answer ? [] : addressesOf(answer);
  const owner = alias?.alias ?? name;
  const records = addresses
    .filter((address) => type === (isIPv6(address) ? TYPES.AAAA : TYPES.A))
    .map((address) => record(owner, type, addressBytes(address), ttl));
  for (const service of serviceRecords(name, answer))
    if (service.type === type) records.push(service.record);
  if (alias) records.unshift(record(name, TYPES.CNAME, nameBytes(alias.alias)));
  const flags = u16(0x8580 | (failed ? RCODES[answer] : 0));
  const counts = [...u16(1), ...u16(records.length), 0, 0, 0, 0];
  const question = query.subarray(HEADER_BYTES, end);
  return Buffer.from([
    ...query.subarray(0, 2),
    ...flags,
    ...counts,
    ...question,
    ...records.flat(),
  ]);
}

export async function dnsServer(host = "127.0.0.1"): Promise<DnsServer> {
  const zone = new Map<string, readonly DnsAnswer[]>();
  const state = { ttl: 0 };
  /** Number of questions by name and type. */
  const asked = new Map<string, number>();
  const socket = await Bun.udpSocket({
    hostname: host,
    port: 0,
    socket: {
      data(server, datagram, port, address) {
        const query = Buffer.from(datagram);
        const { name, type } = questionOf(query);
        const before = asked.get(`${name} ${type}`) ?? 0;
        asked.set(`${name} ${type}`, before + 1);
        const answers = zone.get(name) ?? [];
        const answer = answers[before] ?? answers.at(-1) ?? "no such name";
        const response = respond(query, answer, state.ttl);
        if (response) server.send(response, port, address);
      },
    },
  });
  const resolver = new Resolver({ timeout: 2000, tries: 1 });
  resolver.setServers([`${host}:${socket.port}`]);

  const resolve: Resolve = (hostname, done) => {
    const ask = (family: 4 | 6) =>
      new Promise<readonly { address: string; family: number }[]>((answered) => {
        const collect = (error: Error | null, addresses: readonly string[] | undefined) =>
          answered(error ? [] : (addresses ?? []).map((address) => ({ address, family })));
        if (family === 4) resolver.resolve4(hostname, collect);
        else resolver.resolve6(hostname, collect);
      });
    void Promise.all([ask(6), ask(4)]).then((found) => done(null, found.flat()));
  };

  return {
    zone,
    address: `${host}:${socket.port}`,
    get ttl() {
      return state.ttl;
    },
    set ttl(seconds) {
      state.ttl = seconds;
    },
    lookups: (name, type = "A") => asked.get(`${name} ${TYPES[type]}`) ?? 0,
    resolve,
    close: () => {
      resolver.cancel();
      socket.close();
    },
  };
}
