import { describe, expect, test } from "bun:test";
import { seededRandom } from "../../../src/core/random.ts";
import type { NaptrRecord, SipDns, SrvRecord } from "../../../src/sip/routing/dns.ts";
import { inOrder, locate, type Place } from "../../../src/sip/routing/locate.ts";

interface Zone {
  readonly naptr?: readonly NaptrRecord[] | Error;
  readonly srv?: Readonly<Record<string, readonly SrvRecord[] | Error>>;
  readonly addresses?: Readonly<Record<string, readonly string[]>>;
}

const orThrow = <Value>(value: Value | Error): Value => {
  if (value instanceof Error) throw value;
  return value;
};

const dnsOf = ({ naptr = [], srv = {}, addresses = {} }: Zone): SipDns => ({
  naptr: async () => orThrow(naptr),
  srv: async (name) => orThrow(srv[name] ?? []),
  addresses: async (name) => ({ addresses: addresses[name] ?? [], ttlSeconds: 60 }),
});

const srvOf = (name: string, more: Partial<SrvRecord> = {}): SrvRecord => ({
  name,
  priority: 10,
  weight: 10,
  port: 5060,
  ...more,
});
const naptrOf = (order: number, service: string, replacement: string): NaptrRecord => ({
  order,
  preference: 10,
  flags: "S",
  service,
  replacement,
});

async function found(place: Partial<Place>, zone: Zone): Promise<string[]> {
  const whole: Place = { host: "d.test", port: null, transport: "UDP", ...place };
  const { targets } = await locate(whole, dnsOf(zone), seededRandom(1));
  return targets.map(({ transport, remote }) => `${transport} ${remote.host}:${remote.port}`);
}

describe("locating (RFC 3263 4)", () => {
  test("an address is used directly, at the default port of its transport", async () => {
    expect(await found({ host: "192.0.2.1" }, {})).toEqual(["UDP 192.0.2.1:5060"]);
    expect(await found({ host: "2001:db8::1", transport: "TLS" }, {})).toEqual([
      "TLS 2001:db8::1:5061",
    ]);
    expect(await found({ host: "192.0.2.1", transport: "AUTO" }, {})).toEqual([
      "UDP 192.0.2.1:5060",
    ]);
  });

  test("IPv4 precedes IPv6, and every address of every server is included", async () => {
    const zone: Zone = {
      srv: { "_sip._udp.d.test": [srvOf("a.test"), srvOf("b.test", { priority: 20, port: 5070 })] },
      addresses: { "a.test": ["2001:db8::1", "192.0.2.1"], "b.test": ["192.0.2.2"] },
    };
    expect(await found({}, zone)).toEqual([
      ...["UDP 192.0.2.1:5060", "UDP 2001:db8::1:5060", "UDP 192.0.2.2:5070"],
    ]);
  });

  test("NAPTR is sorted by order, and unknown services are ignored", async () => {
    const zone: Zone = {
      naptr: [
        naptrOf(50, "SIP+D2U", "_sip._udp.d.test"),
        naptrOf(10, "E2U+email", "nonsense.test"),
        naptrOf(20, "sip+d2t", "_sip._tcp.d.test"),
      ],
      srv: {
        "_sip._udp.d.test": [srvOf("a.test")],
        "_sip._tcp.d.test": [srvOf("a.test")],
      },
      addresses: { "a.test": ["192.0.2.1"] },
    };
    expect(await found({ transport: "AUTO" }, zone)).toEqual([
      ...["TCP 192.0.2.1:5060", "UDP 192.0.2.1:5060"],
    ]);
  });

  test("a domain that prefers TLS is never contacted in the clear", async () => {
    const zone: Zone = {
      naptr: [
        naptrOf(10, "SIPS+D2T", "_sips._tcp.d.test"),
        naptrOf(20, "SIP+D2U", "_sip._udp.d.test"),
      ],
      srv: {
        "_sips._tcp.d.test": [srvOf("a.test", { port: 5061 })],
        "_sip._udp.d.test": [srvOf("a.test")],
      },
      addresses: { "a.test": ["192.0.2.1"] },
    };
    expect(await found({ transport: "AUTO" }, zone)).toEqual(["TLS 192.0.2.1:5061"]);
  });

  test("without NAPTR, or if a resolver drops it, SRV of each transport is queried", async () => {
    const zone: Zone = {
      naptr: new Error("refused"),
      srv: { "_sip._tcp.d.test": [srvOf("a.test")] },
      addresses: { "a.test": ["192.0.2.1"] },
    };
    expect(await found({ transport: "AUTO" }, zone)).toEqual(["TCP 192.0.2.1:5060"]);
  });

  test("a given transport needs no NAPTR", async () => {
    const zone: Zone = {
      naptr: [naptrOf(10, "SIP+D2U", "_sip._udp.d.test")],
      srv: { "_sip._udp.d.test": [srvOf("b.test")], "_sip._tcp.d.test": [srvOf("a.test")] },
      addresses: { "a.test": ["192.0.2.1"], "b.test": ["192.0.2.2"] },
    };
    expect(await found({ transport: "TCP" }, zone)).toEqual(["TCP 192.0.2.1:5060"]);
  });

  test("one server without an address does not affect the others", async () => {
    const zone: Zone = {
      srv: { "_sip._udp.d.test": [srvOf("gone.test"), srvOf("b.test", { priority: 20 })] },
      addresses: { "b.test": ["192.0.2.2"] },
    };
    expect(await found({}, zone)).toEqual(["UDP 192.0.2.2:5060"]);
  });

  test("a service declared absent, or an unknown name, is an error", async () => {
    const none: Zone = {
      srv: { "_sip._udp.d.test": [srvOf(".")] },
      addresses: { "d.test": ["192.0.2.1"] },
    };
    await expect(found({}, none)).rejects.toThrow("no such service");
    await expect(found({}, {})).rejects.toThrow("no address");
  });

  test("an endless zone is limited to 32 targets", async () => {
    const many = Array.from({ length: 200 }, (_, index) => srvOf(`s${index}.test`));
    const addresses = Object.fromEntries(
      many.map(({ name }, index) => [
        name,
        Array.from({ length: 50 }, (_, at) => `10.0.${index}.${at}`),
      ]),
    );
    expect(await found({}, { srv: { "_sip._udp.d.test": many }, addresses })).toHaveLength(32);
  });

  test("of a thousand NAPTR records the first eight are followed", async () => {
    const asked: string[] = [];
    const dns: SipDns = {
      ...dnsOf({
        naptr: Array.from({ length: 1000 }, (_, n) => naptrOf(n, "SIP+D2U", `s${n}.test`)),
        addresses: { "d.test": ["192.0.2.1"] },
      }),
      srv: async (name) => {
        asked.push(name);
        return [];
      },
    };
    await locate({ host: "d.test", port: null, transport: "AUTO" }, dns, seededRandom(1));
    expect(asked).toEqual(Array.from({ length: 8 }, (_, n) => `s${n}.test`));
  });
});

describe("SRV order (RFC 2782)", () => {
  test("lower priorities come first, whatever their weights", () => {
    const records = [
      srvOf("c", { priority: 30, weight: 100 }),
      srvOf("a", { priority: 1, weight: 0 }),
    ];
    expect(inOrder(records, seededRandom(3)).map(({ name }) => name)).toEqual(["a", "c"]);
  });

  test("with equal priority the weights decide how often each is first", () => {
    const records = [srvOf("heavy", { weight: 75 }), srvOf("light", { weight: 25 })];
    const random = seededRandom(5);
    let heavy = 0;
    for (let draw = 0; draw < 2000; draw++)
      if (inOrder(records, random)[0]?.name === "heavy") heavy++;
    expect(heavy / 2000).toBeGreaterThan(0.7);
    expect(heavy / 2000).toBeLessThan(0.8);
  });

  test("the same random number gives the same order, however the resolver rotates", () => {
    const records = ["a", "b", "c", "d"].map((name) => srvOf(name));
    const rotated = [...records.slice(2), ...records.slice(0, 2)];
    const names = (each: readonly SrvRecord[]) =>
      inOrder(each, seededRandom(9)).map(({ name }) => name);
    expect(names(rotated)).toEqual(names(records));
  });
});
