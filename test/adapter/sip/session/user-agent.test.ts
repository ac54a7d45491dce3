/** What a peer sends must neither throw out of the dialog layer nor keep it from being closed. */
import { expect, test } from "bun:test";
import { TrunkCredentials } from "../../../../src/adapter/sip/credentials.ts";
import { buildRequest, parseMessage } from "../../../../src/adapter/sip/message/index.ts";
import { MediaNegotiator } from "../../../../src/adapter/sip/session/media-negotiator.ts";
import {
  type ReceivedInvite,
  TrunkUserAgent,
} from "../../../../src/adapter/sip/session/user-agent.ts";
import { type Fields, type Log, silentLog } from "../../../../src/core/log.ts";
import { systemRandom } from "../../../../src/core/random.ts";
import { eventually } from "../../../support/eventually.ts";
import { fakeClock } from "../../../support/fake-clock.ts";

const ACCOUNT = { username: "u", password: "p", realm: null };

test("a dialog that SIP.js could make only half of does not keep the trunk from closing", async () => {
  const invites: ReceivedInvite[] = [];
  const failures: string[] = [];
  const note = (_: string, fields?: Fields) => failures.push(String(fields?.error));
  const log: Log = { ...silentLog, debug: note, warn: note, with: () => log };
  const agent = new TrunkUserAgent({
    ...{ username: "u", server: "provider.test", contactUser: "us", hostToken: "us.invalid" },
    ...{ transportName: "UDP", userAgentName: "test", log: silentLog },
    credentials: new TrunkCredentials(ACCOUNT, systemRandom),
    mayChallenge: () => true,
    route: () => "",
    send: async () => {},
    onInvite: (invite) => invites.push(invite),
  });
  const text = buildRequest({
    method: "INVITE",
    uri: "sip:us@us.invalid",
    headers: [
      ["Via", "SIP/2.0/UDP 127.0.0.1;branch=z9hG4bKhalf"],
      ["From", "<sip:a@b>;tag=1"],
      ["To", "<sip:us@us.invalid>"],
      ["Call-ID", "half"],
      ["CSeq", "1 INVITE"],
      ["Contact", "<sip:a@b>"],
    ],
    // The stack gives each body a type (withPlainSdp); here it has none, and SIP.js throws.
    body: "v=0\r\n",
  });
  const request = parseMessage(text);
  if (request.kind !== "request") throw new Error("no request");
  agent.receiveRequest(request);
  const [invite] = invites;
  if (!invite) throw new Error("no call");
  const leg = invite.makeLeg({
    context: {
      ...{ clock: fakeClock(), random: systemRandom, log, trunkId: 1 },
      ...{ sessionExpiresSeconds: 1800, sessionMinSeconds: 90 },
      advertise: (media) => media,
      ownAddress: () => ({ host: "127.0.0.1", port: 5060 }),
      uriOf: () => undefined,
      onAnswered: () => {},
      onEnded: () => {},
    },
    names: { contactUser: "us", username: "u" },
    makeNegotiator: (onPlan) => new MediaNegotiator(1, ["PCMA"], onPlan),
  });
  leg.negotiator.setMedia({ host: "127.0.0.1", port: 40_000 });
  leg.ring();
  await eventually(() => failures.length > 0, "what SIP.js throws");
  expect(failures.join()).toContain("Content disposition undefined.");
  expect(() => agent.close()).not.toThrow();
});
