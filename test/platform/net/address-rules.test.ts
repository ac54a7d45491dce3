import { describe, expect, test } from "bun:test";
import { AddressRules } from "../../../src/platform/net/address-rules.ts";
import { parseAddress, parseNetwork } from "../../../src/platform/net/ip-address.ts";
import { parseTenantUrl } from "../../../src/platform/net/outbound-http.ts";

const rules = new AddressRules([]);

/** First and last address of every blocked range, with its name. */
const BLOCKED: readonly (readonly [string, string])[] = [
  ["0.0.0.0", "this network"],
  ["0.255.255.255", "this network"],
  ["10.0.0.0", "private"],
  ["10.255.255.255", "private"],
  ["100.64.0.0", "CGNAT"],
  ["100.100.100.200", "metadata in CGNAT"],
  ["100.127.255.255", "CGNAT"],
  ["127.0.0.1", "loopback"],
  ["127.255.255.255", "loopback"],
  ["168.63.129.16", "metadata in public space"],
  ["169.254.0.0", "link-local"],
  ["169.254.169.254", "metadata"],
  ["169.254.170.2", "metadata of containers"],
  ["169.254.0.23", "metadata"],
  ["169.254.255.255", "link-local"],
  ["172.16.0.0", "private"],
  ["172.31.255.255", "private"],
  ["192.0.0.0", "IETF"],
  ["192.0.0.192", "metadata"],
  ["192.0.2.1", "documentation"],
  ["192.31.196.1", "AS112"],
  ["192.52.193.1", "AMT"],
  ["192.88.99.1", "6to4 relay"],
  ["192.168.0.0", "private"],
  ["192.168.255.255", "private"],
  ["192.175.48.1", "AS112"],
  ["198.18.0.0", "benchmarking"],
  ["198.19.255.255", "benchmarking"],
  ["198.51.100.7", "documentation"],
  ["203.0.113.7", "documentation"],
  ["224.0.0.1", "multicast"],
  ["239.255.255.255", "multicast"],
  ["240.0.0.1", "reserved"],
  ["255.255.255.255", "broadcast"],
  ["::", "unspecified"],
  ["::1", "loopback"],
  ["::7f00:1", "v4-compatible loopback"],
  ["::127.0.0.1", "v4-compatible loopback"],
  ["::8.8.8.8", "v4-compatible, deprecated"],
  ["::ffff:127.0.0.1", "mapped loopback"],
  ["::ffff:7f00:1", "mapped loopback in hex"],
  ["0:0:0:0:0:ffff:7f00:0001", "mapped loopback in full"],
  ["::FFFF:10.0.0.1", "mapped private"],
  ["::ffff:169.254.169.254", "mapped metadata"],
  ["::ffff:0:127.0.0.1", "SIIT"],
  ["64:ff9b::127.0.0.1", "NAT64 of loopback"],
  ["64:ff9b::a00:1", "NAT64 of private"],
  ["64:ff9b::169.254.169.254", "NAT64 of metadata"],
  ["64:ff9b:1::1", "local NAT64"],
  ["64:ff9b:1:ffff:ffff:ffff:7f00:1", "local NAT64 of loopback"],
  ["64:ff9b:0:0:0:1:808:808", "beside the NAT64 prefix"],
  ["::ffff:1:127.0.0.1", "neither mapped nor SIIT"],
  ["100::1", "discard"],
  ["100:0:0:1::1", "dummy prefix"],
  ["2001::1", "Teredo"],
  ["2001:0:4136:e378:8000:63bf:3fff:fdd2", "Teredo"],
  ["2001:2::1", "benchmarking"],
  ["2001:3::1", "AMT"],
  ["2001:4:112::1", "AS112"],
  ["2001:10::1", "ORCHID"],
  ["2001:20::1", "ORCHIDv2"],
  ["2001:1ff:ffff::1", "IETF"],
  ["2001:db8::1", "documentation"],
  ["2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "documentation"],
  ["2002:7f00:1::", "6to4 of loopback"],
  ["2002:808:808::1", "6to4"],
  ["2002:a9fe:a9fe::1", "6to4 of metadata"],
  ["2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "6to4"],
  ["2620:4f:8000::1", "AS112"],
  ["3fff::1", "documentation"],
  ["3fff:fff:ffff::1", "documentation"],
  ["4000::1", "unassigned"],
  ["5f00::1", "segment routing"],
  ["fc00::1", "unique local"],
  ["fd00:ec2::254", "metadata"],
  ["fd20:ce::254", "metadata"],
  ["fdff:ffff::1", "unique local"],
  ["fe80::1", "link-local"],
  ["febf::1", "link-local"],
  ["fec0::1", "site-local"],
  ["ff02::1", "multicast"],
  ["ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "multicast"],
  ["fe80::1%eth0", "a zone"],
  ["127.1", "short form"],
  ["0x7f.0.0.1", "hex"],
  ["0177.0.0.1", "octal"],
  ["2130706433", "one number"],
  ["1.2.3.4.5", "five octets"],
  ["1.2.3.256", "no octet"],
  ["1::2::3", "two gaps"],
  ["2606:4700:1:2:3:4:5:6::7::8", "eight groups, and two gaps"],
  ["1:2:3:4:5:6:7", "seven groups"],
  ["1:2:3:4:5:6:7:8:9", "nine groups"],
  ["::1.2.3.4:5", "v4 not last"],
  ["", "empty"],
  ["localhost", "a name"],
];

const PUBLIC = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "168.63.129.15",
  "169.253.255.255",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2000::1",
  "2001:200::1",
  "2001:db7:ffff::1",
  "2001:db9::1",
  "2003::1",
  "2620:4f:7fff::1",
  "2620:4f:8001::1",
  "3ffe:ffff::1",
  "2001:4860:4860::8888",
  "2606:4700:4700::1111",
  "2a00:1450::1",
  "2a00:1450:1:2:3:4:5::",
  "::ffff:8.8.8.8",
  "64:ff9b::8.8.8.8",
];

describe("the guarded client's addresses", () => {
  test.each([...BLOCKED])("%p is blocked (%s)", (address) => {
    expect(rules.check(address).allowed).toBe(false);
  });

  test("a blocked v4 address is blocked mapped, behind NAT64, v4-compatible and in 6to4 too", () => {
    const v4 = BLOCKED.map(([address]) => address).filter(
      (text) => parseAddress(text)?.version === 4,
    );
    expect(v4.length).toBeGreaterThan(30);
    for (const address of v4) {
      const bits = parseAddress(address)?.bits ?? 0n;
      const [high, low] = [(bits >> 16n).toString(16), (bits & 0xffffn).toString(16)];
      const spellings = [
        ...[`::ffff:${address}`, `::ffff:${high}:${low}`, `0:0:0:0:0:FFFF:${address}`],
        ...[`64:ff9b::${address}`, `64:ff9b::${high}:${low}`, `64:FF9B:0:0:0:0:${address}`],
        ...[`::${address}`, `::ffff:0:${address}`, `2002:${high}:${low}::`],
      ];
      for (const text of spellings)
        expect([text, rules.check(text).allowed]).toEqual([text, false]);
    }
  });

  test("anything outside 2000::/3 is blocked without being named, bar mapped and NAT64", () => {
    for (let top = 0; top < 0x10000; top += 0x80) {
      const isGlobal = top >= 0x2000 && top < 0x4000;
      if (!isGlobal) expect(rules.check(`${top.toString(16)}::1`).allowed).toBe(false);
    }
  });

  test.each(PUBLIC)("%p is public", (address) => {
    expect(rules.check(address)).toEqual({ allowed: true, listed: false });
  });

  test("what the operator lists is allowed, mapped too, and nothing beside it", () => {
    const listed = new AddressRules(["127.0.0.0/8", "10.1.2.3", "fd12:3456::/32"]);
    for (const address of ["127.0.0.1", "::ffff:127.9.9.9", "10.1.2.3", "fd12:3456::9"])
      expect(listed.check(address)).toEqual({ allowed: true, listed: true });
    for (const address of ["10.1.2.4", "fd12:3457::9", "::1", "169.254.169.254"])
      expect(listed.check(address).allowed).toBe(false);
  });

  test("a listed network opens no address of the other family that has the same bits", () => {
    const listedV4 = new AddressRules(["10.0.0.0/8"]);
    for (const address of ["::a00:1", "::10.0.0.1"])
      expect(listedV4.check(address).allowed).toBe(false);
    for (const network of ["::/0", "::a00:0/104"])
      expect(new AddressRules([network]).check("10.0.0.1").allowed).toBe(false);
  });

  test("a network that is none is refused", () => {
    for (const text of ["", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/a", "10.0.0/8", "::/129", "x"])
      expect(() => parseNetwork(text)).toThrow(RangeError);
  });
});

describe("the URL parser", () => {
  test.each([
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://017700000001/",
    "https://127.1/",
    "https://127.0.1/",
    "https://127.0.0.1./",
    "https://①②⑦.⓪.⓪.①/",
    "https://127。0。0。1/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[0:0:0:0:0:ffff:7f00:1]/",
    "https://%31%32%37.0.0.1/",
  ])("%s becomes a literal that is blocked", (text) => {
    const host = parseTenantUrl(text).hostname.replace(/^\[|\]$/g, "");
    expect(parseAddress(host)).not.toBeNull();
    expect(rules.check(host).allowed).toBe(false);
  });

  test("2,048 characters are taken, one more is not", () => {
    const url = (length: number) => "https://example.com/".padEnd(length, "x");
    expect(parseTenantUrl(url(2_048)).hostname).toBe("example.com");
    expect(() => parseTenantUrl(url(2_049))).toThrow("too long");
  });

  test.each([
    "https://user@example.com/",
    "https://user:secret@example.com/",
    "https://:secret@example.com/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://example.com/",
    "javascript:alert(1)",
    "//example.com/",
    "example.com",
    "https://",
    "https://[fe80::1%25eth0]/",
    "https://example.com:65536/",
    "https://example.com:-1/",
    "https://example.com:22x/",
    "https://127.0.0.1:80:443/",
    "https://exa mple.com/",
    "https://example.com%00.test/",
    `https://example.com/${"x".repeat(2048)}`,
  ])("%p is refused", (text) => {
    expect(() => parseTenantUrl(text)).toThrow();
  });
});
