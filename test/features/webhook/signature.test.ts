import { describe, expect, test } from "bun:test";
import { signatureHeader, verifySignature } from "../../../src/features/webhook/signature.ts";

const SECRET = "0123456789abcdef".repeat(4);
const BODY = '{"id":"evt_1","type":"call.ended","data":{"note":"ąčę"}}';
const AT = 1_795_000_000;

describe("delivery signatures", () => {
  test("are the HMAC-SHA-256 of timestamp, dot, raw body (vector made with openssl)", () => {
    // printf '1795000000.{"id":…}' | openssl dgst -sha256 -hmac 0123…
    const { stdout } = Bun.spawnSync(["openssl", "dgst", "-sha256", "-hmac", SECRET], {
      stdin: Buffer.from(`${AT}.${BODY}`),
    });
    const hex = stdout.toString().trim().split(" ").at(-1);
    expect(signatureHeader(SECRET, AT, BODY)).toBe(`t=${AT},v1=${hex}`);
  });

  test("verify within five minutes, and not for another body, secret, time or format", () => {
    const header = signatureHeader(SECRET, AT, BODY);
    expect(verifySignature(SECRET, header, BODY, AT + 300)).toBe(true);
    expect(verifySignature(SECRET, header, BODY, AT + 301)).toBe(false);
    expect(verifySignature(SECRET, header, BODY, AT - 301)).toBe(false);
    expect(verifySignature(SECRET, header, `${BODY} `, AT)).toBe(false);
    expect(verifySignature(`${SECRET}0`, header, BODY, AT)).toBe(false);
    const moved = header.replace(`t=${AT}`, `t=${AT + 1}`);
    expect(verifySignature(SECRET, moved, BODY, AT)).toBe(false);
    for (const bad of ["", "v1=00", "t=1", `${header},v1=00`, header.toUpperCase()])
      expect(verifySignature(SECRET, bad, BODY, AT)).toBe(false);
  });
});
