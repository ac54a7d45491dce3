/** The demo carrier's digest check, which keeps no transactions. */
import { expect, test } from "bun:test";
import { seededRandom } from "../../src/core/random.ts";
import { Registrar } from "../../src/demo/carrier/registrar.ts";
import { DigestClient, parseChallenge } from "../../src/sip/digest.ts";
import { parseMessage, type SipRequest } from "../../src/sip/message/index.ts";
import { fakeClock } from "../support/fake-clock.ts";

const ACCOUNT = { username: "anna", password: "secret" };

function inviteWith(credentials: string, branch: string): SipRequest {
  const lines = [
    "INVITE sip:bob@carrier.test SIP/2.0",
    `Via: SIP/2.0/UDP 127.0.0.1:5060;branch=${branch}`,
    "From: <sip:anna@carrier.test>;tag=1",
    "To: <sip:bob@carrier.test>",
    "Call-ID: one@127.0.0.1",
    "CSeq: 2 INVITE",
    "Max-Forwards: 70",
    `Proxy-Authorization: ${credentials}`,
    "Content-Length: 0",
  ];
  const message = parseMessage(`${lines.join("\r\n")}\r\n\r\n`);
  if (message.kind !== "request") throw new Error("no request");
  return message;
}

test("a retransmission is judged like the request it repeats, a repeated count in another request is stale", () => {
  const random = seededRandom(1);
  const registrar = new Registrar({ realm: "carrier.test", clock: fakeClock(), random });
  registrar.add(ACCOUNT);
  const challenge = parseChallenge(registrar.challenges(false)[0] ?? "");
  if (!challenge) throw new Error("no challenge");
  const client = new DigestClient(ACCOUNT, random);
  const credentials = client.answer(challenge, "INVITE", "sip:bob@carrier.test");
  const verdict = (branch: string) =>
    registrar.verify(inviteWith(credentials, branch), "proxy-authorization").result;
  expect(verdict("z9hG4bK-a")).toBe("accepted");
  expect(verdict("z9hG4bK-a")).toBe("accepted");
  expect(verdict("z9hG4bK-b")).toBe("stale");
  expect(verdict("z9hG4bK-a")).toBe("accepted");
});
