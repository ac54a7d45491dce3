import { expect, test } from "bun:test";
import { seededRandom } from "../../src/core/random.ts";
import { oddlySpelled } from "../../src/sip/alg-detection.ts";
import { TrunkCredentials } from "../../src/sip/credentials.ts";
import { buildResponse, parseMessage } from "../../src/sip/message/index.ts";
import { type ProbeDeps, probeTrunk } from "../../src/sip/probe.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { trunkSettings } from "../support/sip/sip-stack.ts";

const VIA = "SIP/2.0/UDP 127.0.0.1:5060;rport;branch=z9hG4bKtest";
const ADDRESS = { host: "127.0.0.1", port: 5060 };

/** A probe over a path that only delivers texts accepted by `passes`. */
function probed(passes: (text: string) => boolean) {
  const settings = trunkSettings({});
  const random = seededRandom(7);
  const asked: string[] = [];
  const deps: ProbeDeps = {
    settings,
    random,
    clock: fakeClock(),
    userAgent: "Linevoice",
    credentials: new TrunkCredentials(settings, random),
    async ask(_, compose) {
      const text = compose(VIA);
      asked.push(text);
      const request = parseMessage(text);
      if (!passes(text) || request.kind !== "request") return null;
      const response = parseMessage(buildResponse(request, { statusCode: 200, toTag: "far" }));
      if (response.kind !== "response") throw new Error("no response");
      return { response, flow: { remote: ADDRESS } as never };
    },
    noAnswerReason: () => null,
    contactUri: () => "sip:me@127.0.0.1:5060",
    addresses: () => ({ advertised: ADDRESS, local: ADDRESS }),
    servers: () => [],
    route: () => "",
    isContactAltered: false,
    offer: () => "",
  };
  return { asked, probe: probeTrunk(deps, { calls: false }) };
}

test("if only the unusual spelling is answered, something drops SIP messages", async () => {
  const { asked, probe } = probed((text) => !text.includes("\r\nContact:"));
  expect(await probe).toMatchObject({ sipCode: 200, algSigns: ["swallowed"] });
  expect(asked).toHaveLength(2);
});

test("if the usual spelling is answered, the other is not sent, and there is no sign of an ALG", async () => {
  const { asked, probe } = probed(() => true);
  expect(await probe).toMatchObject({ sipCode: 200, algSigns: [] });
  expect(asked).toHaveLength(1);
});

test("if neither is answered, there is no sign", async () => {
  const { asked, probe } = probed(() => false);
  expect(await probe).toMatchObject({ sipCode: null, algSigns: [] });
  expect(asked).toHaveLength(2);
});

test("an unusual spelling has the same meaning: header names differ in case, values and body do not", () => {
  const text = "INVITE sip:a@b SIP/2.0\r\nVia: SIP/2.0/UDP H\r\nCall-ID: Xy\r\n\r\nVia: body";
  expect(oddlySpelled(text)).toBe(
    "INVITE sip:a@b SIP/2.0\r\nvIa: SIP/2.0/UDP H\r\ncAlL-Id: Xy\r\n\r\nVia: body",
  );
});
