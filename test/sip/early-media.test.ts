/** A caller hears us before an answer (183 with our SDP), and is then rejected. */
import { expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { incomingLine } from "../support/sip/incoming-line.ts";
import { OFFER } from "../support/sip/raw-call.ts";

const FAR = "127.0.8.102";
const line = incomingLine("127.0.8.101", FAR);

async function arrived(headers: readonly (readonly [string, string])[] = [], body = OFFER(FAR)) {
  const call = line.newCall();
  const branch = call.invite([...headers], body);
  await eventually(() => line.legs.length === 1, "the leg comes");
  const [leg] = line.legs;
  if (!leg) throw new Error("no leg");
  return { call, branch, leg };
}

test("183 carries our answer, and the rejection follows it", async () => {
  const { call, branch, leg } = await arrived();
  const plan = await leg.earlyMedia(line.media);
  expect(plan).toMatchObject({ remote: { host: FAR, port: 30_000 }, codec: { name: "PCMA" } });
  const progress = await call.answer(branch, "INVITE", 183);
  expect(progress.statusCode).toBe(183);
  expect(progress.body).toContain(`m=audio ${line.media.port} RTP/AVP 8`);
  leg.reject(486);
  expect((await call.answer(branch, "INVITE", 200)).statusCode).toBe(486);
  expect(await leg.earlyMedia(line.media)).toBeNull();
});

for (const [who, headers, body] of [
  ["an INVITE without an offer", [], ""],
  ["a caller who requires reliable responses", [["Require", "100rel"]], OFFER(FAR)],
  ["an offer without a codec of ours", [], OFFER(FAR).replace("RTP/AVP 8", "RTP/AVP 97")],
] as const)
  test(`${who} gets only the rejection`, async () => {
    const { call, branch, leg } = await arrived(headers, body);
    expect(await leg.earlyMedia(line.media)).toBeNull();
    leg.reject(486);
    expect((await call.answer(branch, "INVITE", 180)).statusCode).toBe(486);
  });

test("a caller who hangs up meanwhile is no longer rejected", async () => {
  const { call, branch, leg } = await arrived();
  const ended = new Promise((resolve) => leg.on("ended", resolve));
  expect(await leg.earlyMedia(line.media)).not.toBeNull();
  call.send({ method: "CANCEL", branch });
  expect(await ended).toMatchObject({ kind: "cancelled", by: "caller" });
  leg.reject(486);
  expect((await call.answer(branch, "INVITE", 200)).statusCode).toBe(487);
});
