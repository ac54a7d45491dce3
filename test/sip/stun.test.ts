import { expect, test } from "bun:test";
import { silentLog } from "../../src/core/log.ts";
import { seededRandom } from "../../src/core/random.ts";
import { isStun, parseBindingAnswer } from "../../src/sip/nat/stun.ts";
import { StunClient } from "../../src/sip/nat/stun-client.ts";
import { fakeClock } from "../support/fake-clock.ts";

const bytes = (text: string) => Buffer.from(text.replace(/\s/g, ""), "hex");

/** RFC 5769 2.2 and 2.3. */
const SAMPLE_IPV4 = bytes(`
  0101003c 2112a442 b7e7a701 bc34d686 fa87dfae
  8022000b 74657374 20766563 746f7220
  00200008 0001a147 e112a643
  00080014 2b91f599 fd9e90c3 8c7489f9 2af9ba53 f06be7d7
  80280004 c07d4c96`);
const SAMPLE_IPV6 = bytes(`
  01010048 2112a442 b7e7a701 bc34d686 fa87dfae
  8022000b 74657374 20766563 746f7220
  00200014 0002a147 0113a9fa a5d3f179 bc25f4b5 bed2b9d9
  00080014 a382954e 4be67bf1 1784c97c 8292c275 bfe3ed41
  80280004 c8fb0b4c`);

test("the sample answers of RFC 5769 are read", () => {
  expect(parseBindingAnswer(SAMPLE_IPV4)?.mapped).toEqual({ host: "192.0.2.1", port: 32_853 });
  expect(parseBindingAnswer(SAMPLE_IPV6)?.mapped).toEqual({
    host: "2001:db8:1234:5678:11:2233:4455:6677",
    port: 32_853,
  });
});

test("one broken byte is detected by the fingerprint", () => {
  const broken = Buffer.from(SAMPLE_IPV4);
  broken.writeUInt8(broken.readUInt8(45) ^ 1, 45);
  expect(parseBindingAnswer(broken)).toBeUndefined();
});

test("SIP, RTP and short bytes are not STUN", () => {
  expect(isStun(Buffer.from("INVITE sip:a@b SIP/2.0\r\n\r\n"))).toBe(false);
  expect(isStun(bytes("80000001 00000000 00000000 00000000 00000000"))).toBe(false);
  expect(isStun(SAMPLE_IPV4.subarray(0, 19))).toBe(false);
});

function client() {
  const clock = fakeClock();
  const sent: Buffer[] = [];
  const mapped: string[] = [];
  const server = { host: "127.0.0.9", port: 3478 };
  const stun = new StunClient({
    clock,
    random: seededRandom(1),
    log: silentLog,
    locate: async () => [server],
    send: (message) => sent.push(Buffer.from(message)),
    onMapped: ({ host, port }) => mapped.push(`${host}:${port}`),
  });
  return { clock, sent, mapped, server, stun };
}

test("a request is repeated with growing pauses for 4 s, then abandoned, and sent again after 25 s", async () => {
  const { clock, sent, stun } = client();
  stun.start();
  await clock.advance(0);
  const at: number[] = [];
  for (let elapsed = 0; elapsed < 24_000; elapsed += 500) {
    const before = sent.length;
    await clock.advance(500);
    if (sent.length > before) at.push(elapsed + 500);
  }
  expect(at).toEqual([500, 1500, 3500, 7500]);
  expect(new Set(sent.map((message) => message.toString("hex"))).size).toBe(1);
  await clock.advance(2000);
  expect(new Set(sent.map((message) => message.toString("hex"))).size).toBe(2);
  stun.close();
  expect(clock.pendingTimers).toBe(0);
});

test("an answer counts only from the asked server, with the request's id, once", async () => {
  const { clock, sent, mapped, server, stun } = client();
  stun.start();
  await clock.advance(0);
  const id = sent[0]?.subarray(8, 20) ?? Buffer.alloc(12);
  const answer = Buffer.concat([
    bytes("0101000c 2112a442"),
    id,
    bytes("00200008 0001a147 e112a643"),
  ]);
  stun.receive(answer, { host: "127.0.0.8", port: 3478 });
  stun.receive(SAMPLE_IPV4, server);
  expect(mapped).toEqual([]);
  stun.receive(answer, server);
  stun.receive(answer, server);
  expect(mapped).toEqual(["192.0.2.1:32853"]);
  expect(stun.mapped).toEqual({ host: "192.0.2.1", port: 32_853 });
  await clock.advance(10_000);
  expect(sent).toHaveLength(1);
  stun.close();
});
