/** The source of a request, and our host name and scheme in it. */
import { describe, expect, test } from "bun:test";
import { hostname } from "node:os";
import { createOriginReader, type OriginSettings } from "../../../src/http/session/source.ts";

const read = (
  headers: Record<string, string>,
  settings: Partial<OriginSettings> = {},
  peer = "203.0.113.5",
) =>
  createOriginReader({ publicUrl: null, tls: false, trustedProxies: [], ...settings }).read(
    new Headers(headers),
    peer,
  );

describe("our own origin", () => {
  const cases: readonly (readonly [string, Partial<OriginSettings>, string, boolean])[] = [
    ["127.0.0.1:8080", {}, "http://127.0.0.1:8080", true],
    ["localhost:80", {}, "http://localhost", true],
    ["LocalHost:8080", {}, "http://localhost:8080", true],
    ["[::1]:8080", {}, "http://[::1]:8080", true],
    ["192.0.2.7:8080", {}, "http://192.0.2.7:8080", false],
    ["192.0.2.7", { tls: true }, "https://192.0.2.7", true],
    ["192.0.2.7:443", { tls: true }, "https://192.0.2.7", true],
    [
      "voice.example.com",
      { publicUrl: "https://voice.example.com" },
      "https://voice.example.com",
      true,
    ],
    [
      "voice.example.com:8443",
      { publicUrl: "https://voice.example.com:8443" },
      "https://voice.example.com:8443",
      true,
    ],
    [
      "voice.example.com",
      { publicUrl: "http://voice.example.com" },
      "http://voice.example.com",
      false,
    ],
  ];
  for (const [host, settings, own, secure] of cases)
    test(`${host} ${JSON.stringify(settings)} is ${own}, ${secure ? "secure" : "plain"}`, () => {
      expect(read({ host }, settings)).toMatchObject({ own, secure, hostKnown: true });
    });
});

test("Safari drops Secure cookies on loopback without TLS; the others keep them", () => {
  const mac =
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)";
  const agents: readonly (readonly [string, boolean])[] = [
    [`${mac} Version/18.1 Safari/605.1.15`, false],
    [`${mac} Chrome/156.0.0.0 Safari/537.36`, true],
    [`${mac} HeadlessChrome/156.0.0.0 Safari/537.36`, true],
    [`${mac} Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0`, true],
    ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", true],
    ["", true],
  ];
  for (const [agent, secure] of agents) {
    const headers = { host: "127.0.0.1:8080", "user-agent": agent };
    expect([agent, read(headers).secure]).toEqual([agent, secure]);
    expect(read(headers, { tls: true }).secure).toBe(true);
  }
});

describe("our own host names", () => {
  for (const [host, known] of [
    [hostname(), true],
    [`${hostname()}.local:8080`, true],
    ["voice.example.com", false],
    ["", false],
    ["a b", false],
    ["user@127.0.0.1", false],
    ["127.0.0.1:8080:1", false],
    ["127.0.0.1/", false],
    ["0x7f.1", false],
  ] as const)
    test(`"${host}" is ${known ? "" : "not "}`, () => {
      expect(read({ host }).hostKnown).toBe(known);
    });
});

describe("a proxy's headers", () => {
  const chain = { host: "127.0.0.1", "x-forwarded-for": "198.51.100.1, 203.0.113.5, 10.1.2.3" };

  test("count from a trusted one only", () => {
    expect(read(chain).ip).toBe("203.0.113.5");
    const trusted = { trustedProxies: ["203.0.113.0/24", "10.0.0.0/8"] };
    expect(read(chain, trusted).ip).toBe("198.51.100.1");
    expect(read(chain, { trustedProxies: ["203.0.113.5"] }).ip).toBe("10.1.2.3");
  });

  test("give the last address that is not a proxy's: a client's additions are ignored", () => {
    const forged = { host: "127.0.0.1", "x-forwarded-for": "8.8.8.8, 198.51.100.77" };
    expect(read(forged, { trustedProxies: ["203.0.113.5"] }).ip).toBe("198.51.100.77");
  });

  test("are ignored if they are not an address", () => {
    const odd = { host: "127.0.0.1", "x-forwarded-for": "unknown, <script>" };
    expect(read(odd, { trustedProxies: ["203.0.113.5"] }).ip).toBe("203.0.113.5");
    expect(read({ host: "127.0.0.1" }, { trustedProxies: ["203.0.113.5"] }).ip).toBe("203.0.113.5");
  });

  test("treat IPv4 in IPv6 as IPv4; IPv6 networks are supported too", () => {
    expect(read({ host: "127.0.0.1" }, {}, "::ffff:192.0.2.1").ip).toBe("192.0.2.1");
    const six = { host: "127.0.0.1", "x-forwarded-for": "2001:db8::9" };
    expect(read(six, { trustedProxies: ["fd00::/8"] }, "fd00::1").ip).toBe("2001:db8::9");
  });

  test("decide about scheme and host, from a trusted one", () => {
    const headers = {
      host: "10.0.0.2:8080",
      "x-forwarded-proto": "https",
      "x-forwarded-host": "voice.example.com",
    };
    const publicUrl = "http://voice.example.com";
    const trusted = { trustedProxies: ["203.0.113.5"], publicUrl };
    expect(read(headers, trusted)).toMatchObject({
      own: "https://voice.example.com",
      secure: true,
    });
    expect(read(headers, { publicUrl })).toMatchObject({
      own: "http://10.0.0.2:8080",
      secure: false,
    });
  });
});
