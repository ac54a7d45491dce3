/** Messages of a peer must neither throw out of the dialog layer nor prevent its closing. */
import { afterEach, expect, test } from "bun:test";
import { Core } from "sip.js";
import { type Fields, type Log, silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { TrunkCredentials } from "../../../src/sip/credentials.ts";
import {
  buildRequest,
  parseMessage,
  type SipRequest,
  tagOf,
} from "../../../src/sip/message/index.ts";
import { MediaNegotiator } from "../../../src/sip/session/media-negotiator.ts";
import { type ReceivedInvite, TrunkUserAgent } from "../../../src/sip/session/user-agent.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const ACCOUNT = { username: "u", password: "p", realm: null };
const OFFER =
  "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 30000 RTP/AVP 8\r\n";
const TIMER_L = Core.Timers.TIMER_L;

afterEach(() => {
  Core.Timers.TIMER_L = TIMER_L;
});

function requestOf(method: string, toTag = "", body = ""): SipRequest {
  const text = buildRequest({
    method,
    uri: "sip:us@us.invalid",
    body,
    headers: [
      ["Via", `SIP/2.0/UDP 127.0.0.1;branch=z9hG4bK${method}`],
      ["From", "<sip:a@b>;tag=1"],
      ["To", `<sip:us@us.invalid>${toTag}`],
      ["Call-ID", "one"],
      ["CSeq", `${method === "INVITE" ? 1 : 2} ${method}`],
      ["Contact", "<sip:a@b>"],
    ],
  });
  const request = parseMessage(text);
  if (request.kind !== "request") throw new Error("no request");
  return request;
}

/** A user agent that received an INVITE with that body, and its leg. */
function invited(body: string) {
  const invites: ReceivedInvite[] = [];
  const failures: string[] = [];
  const sent: string[] = [];
  const note = (_: string, fields?: Fields) => failures.push(String(fields?.error));
  const log: Log = { ...silentLog, debug: note, warn: note, with: () => log };
  const agent = new TrunkUserAgent({
    username: "u",
    server: "provider.test",
    contactUser: "us",
    hostToken: "us.invalid",
    transportName: "UDP",
    userAgentName: "test",
    log,
    credentials: new TrunkCredentials(ACCOUNT, systemRandom),
    mayChallenge: () => true,
    route: () => "",
    send: async (message) => void sent.push(message),
    onInvite: (invite) => invites.push(invite),
  });
  agent.receiveRequest(requestOf("INVITE", "", body));
  const [invite] = invites;
  if (!invite) throw new Error("no call");
  const leg = invite.makeLeg({
    context: {
      clock: fakeClock(),
      random: systemRandom,
      log,
      trunkId: 1,
      sessionExpiresSeconds: 1800,
      sessionMinSeconds: 90,
      advertise: (media) => media,
      ownAddress: () => ({ host: "127.0.0.1", port: 5060 }),
      uriOf: () => undefined,
      onAnswered: () => {},
      onEnded: () => {},
    },
    names: { contactUser: "us", username: "u" },
    makeNegotiator: (onPlan) => new MediaNegotiator(1, ["PCMA"], onPlan),
  });
  return { agent, leg, failures, sent };
}

const has = (sent: readonly string[], start: string) => sent.some((text) => text.startsWith(start));

test.each([
  ["a description", OFFER],
  ["what is none", "neither this nor that"],
])("a body without a type, %s, creates complete dialogs that can be closed", async (_, body) => {
  const { agent, leg, failures, sent } = invited(body);
  leg.negotiator.setMedia({ host: "127.0.0.1", port: 40_000 });
  leg.ring();
  await eventually(() => has(sent, "SIP/2.0 180"), "it rings");
  agent.close();
  expect(failures).toEqual([]);
});

test("a caller that hangs up without its ACK leaves no timer that throws", async () => {
  Core.Timers.TIMER_L = 50;
  const { leg, sent, agent, failures } = invited(OFFER);
  const answered = leg.answer({ host: "127.0.0.1", port: 40_000 });
  await eventually(() => has(sent, "SIP/2.0 200"), "it is answered");
  const ok = parseMessage(sent.at(-1) ?? "");
  if (ok.kind !== "response") throw new Error("no answer");
  agent.receiveRequest(requestOf("BYE", `;tag=${tagOf(ok.to)}`));
  await eventually(() => sent.at(-1)?.includes("2 BYE") === true, "the BYE is answered");
  await answered.catch(() => {});
  await Bun.sleep(150);
  expect([sent.filter((text) => text.startsWith("BYE")), failures]).toEqual([[], []]);
});
