import { describe, expect, test } from "bun:test";
import { decodeG711, encodeG711, G711_SILENCE } from "../../../src/platform/audio/g711.ts";

const OCTETS = Uint8Array.from({ length: 256 }, (_, octet) => octet);
const LINEAR = Int16Array.from({ length: 65536 }, (_, index) => index - 32768);

describe.each(["PCMU", "PCMA"] as const)("%s", (law) => {
  const levels = new Int16Array(256);
  decodeG711(law, OCTETS, levels);
  const codes = new Uint8Array(65536);
  encodeG711(law, LINEAR, codes);

  test("every octet survives decoding and encoding, except µ-law's negative zero", () => {
    const back = new Uint8Array(256);
    encodeG711(law, levels, back);
    const changed = OCTETS.filter((octet, index) => back[index] !== octet);
    expect([...changed]).toEqual(law === "PCMU" ? [0x7f] : []);
  });

  test("the table is symmetric and its ends are those of the standard", () => {
    for (let octet = 0; octet < 128; octet++) {
      expect((levels[octet] ?? 0) + (levels[octet | 0x80] ?? 0)).toBe(0);
    }
    expect(Math.max(...levels)).toBe(law === "PCMU" ? 32124 : 32256);
  });

  test("encoding is monotonic and errs by at most half a step", () => {
    const decoded = new Int16Array(65536);
    decodeG711(law, codes, decoded);
    let previous = -40000;
    for (let index = 0; index < 65536; index++) {
      const sample = index - 32768;
      const value = decoded[index] ?? 0;
      expect(value).toBeGreaterThanOrEqual(previous);
      previous = value;
      const isClipped = Math.abs(sample) > 32124;
      const bound = Math.max(8, Math.abs(sample) / 31 + 9);
      if (!isClipped && Math.abs(value - sample) > bound) throw new Error(`${sample} → ${value}`);
    }
  });

  test("silence is the octet of zero", () => {
    expect(codes[32768]).toBe(G711_SILENCE[law]);
  });
});

test("octets known from ITU-T G.711 decode to their values", () => {
  const mu = new Int16Array(4);
  decodeG711("PCMU", Uint8Array.of(0x00, 0x80, 0xff, 0xfe), mu);
  expect([...mu]).toEqual([-32124, 32124, 0, 8]);
  const a = new Int16Array(4);
  decodeG711("PCMA", Uint8Array.of(0xd5, 0x55, 0xaa, 0x2a), a);
  expect([...a]).toEqual([8, -8, 32256, -32256]);
});
