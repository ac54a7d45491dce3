import { describe, expect, test } from "bun:test";
import { type Clock, systemClock } from "../../src/core/clock.ts";
import { silentLog } from "../../src/core/log.ts";
import { seededRandom } from "../../src/core/random.ts";
import { TrunkCredentials } from "../../src/sip/credentials.ts";
import { formatChallenge, parseCredentials, verifyCredentials } from "../../src/sip/digest.ts";
import {
  buildResponse,
  parseMessage,
  type ResponseParts,
  type SipRequest,
  type SipResponse,
} from "../../src/sip/message/index.ts";
import { RegistrationClient } from "../../src/sip/registration.ts";
import { eventually } from "../support/eventually.ts";
import { type FakeClock, fakeClock } from "../support/fake-clock.ts";
import { startRegistrar } from "../support/sip/registrar.ts";
import { settled, startStack, trunkSettings } from "../support/sip/sip-stack.ts";

/** The registrar's answer; null: none. */
type Script = (request: SipRequest) => ResponseParts | null;

interface Bench {
  readonly clock: FakeClock;
  readonly client: RegistrationClient;
  readonly requests: SipRequest[];
  script: Script;
}

const accepted = (request: SipRequest): ResponseParts => ({
  statusCode: 200,
  headers: [["Contact", request.headers.get("contact") ?? ""]],
});

function bench(script: Script): Bench {
  const clock = fakeClock();
  const settings = trunkSettings({ server: "provider.test", username: "u", password: "p" });
  const requests: SipRequest[] = [];
  const client = new RegistrationClient(settings, {
    clock,
    random: seededRandom(1),
    log: silentLog,
    credentials: new TrunkCredentials(settings, seededRandom(2)),
    userAgent: "test",
    expiresSeconds: 300,
    contactUser: "me",
    contactUri: () => "sip:me@192.0.2.1:5060",
    send: async (compose) => {
      const request = parseMessage(compose("SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1"));
      if (request.kind !== "request") throw new Error("no request");
      requests.push(request);
      const parts = self.script(request);
      return parts && answerOf(request, parts);
    },
  });
  const self: Bench = { clock, client, requests, script };
  return self;
}

function answerOf(request: SipRequest, parts: ResponseParts): SipResponse {
  const response = parseMessage(buildResponse(request, { toTag: "t", ...parts }));
  if (response.kind !== "response") throw new Error("no response");
  return response;
}

async function started(script: Script): Promise<Bench> {
  const running = bench(script);
  running.client.start();
  await running.clock.advance(1);
  return running;
}

const challenged =
  (stale: boolean): Script =>
  () => ({
    statusCode: 401,
    headers: [
      [
        "WWW-Authenticate",
        formatChallenge({
          realm: "r",
          nonce: stale ? "new" : "old",
          opaque: null,
          qop: "auth",
          algorithm: "SHA-256",
          stale,
        }),
      ],
    ],
  });

describe("a registration", () => {
  test("answers the challenge and is refreshed before it expires, one REGISTER at a time", async () => {
    const { clock, client, requests } = await started((request) => {
      const header = request.headers.get("authorization");
      const credentials = header ? parseCredentials(header) : undefined;
      if (!credentials || !verifyCredentials(credentials, "p", "REGISTER")) {
        return challenged(false)(request);
      }
      return accepted(request);
    });
    expect(client.status.name).toBe("registered");
    expect(requests).toHaveLength(2);
    expect(requests.map((request) => request.cseq.number)).toEqual([1, 2]);
    expect(new Set(requests.map((request) => request.callId)).size).toBe(1);
    await clock.advance(200_000);
    expect(requests).toHaveLength(2);
    await clock.advance(31_000);
    expect(requests).toHaveLength(4);
    expect(client.status.name).toBe("registered");
  });

  test("a 200 with only an Expires header causes no storm", async () => {
    const { clock, client, requests } = await started(() => ({
      statusCode: 200,
      headers: [
        ["Contact", "<sip:me@192.0.2.1:5060>"],
        ["Expires", 120],
      ],
    }));
    expect(client.status.name).toBe("registered");
    await clock.advance(55_000);
    expect(requests).toHaveLength(1);
    await clock.advance(6000);
    expect(requests).toHaveLength(2);
  });

  test("a 200 without Contact is still a registration", async () => {
    const { clock, client, requests } = await started(() => ({ statusCode: 200 }));
    expect(client.status.name).toBe("registered");
    await clock.advance(240_000);
    expect(requests).toHaveLength(2);
  });

  const routed = (request: SipRequest): ResponseParts => ({
    statusCode: 200,
    headers: [
      ...(accepted(request).headers ?? []),
      ["Service-Route", "<sip:edge.test;lr>"],
      ["Service-Route", "<sip:home.test;lr>"],
    ],
  });
  const hostsOf = ({ client }: Bench) =>
    client.serviceRoute.map(({ uri }) => (uri.scheme === "sip" ? uri.host : uri.scheme));

  test("keeps only the Service-Route of its last 200", async () => {
    const bench = await started(routed);
    expect(hostsOf(bench)).toEqual(["edge.test", "home.test"]);
    await bench.clock.advance(240_000);
    expect(bench.requests).toHaveLength(2);
    expect(hostsOf(bench)).toEqual(["edge.test", "home.test"]);
    bench.script = accepted;
    await bench.clock.advance(240_000);
    expect(bench.requests).toHaveLength(3);
    expect(bench.client.status.name).toBe("registered");
    expect(hostsOf(bench)).toEqual([]);
  });

  test.each([
    ["refused", 403, []],
    ["answered by a server that is ill", 503, ["edge.test", "home.test"]],
  ])("a refresh that is %s leaves of the Service-Route: %s", async (_, statusCode, left) => {
    const bench = await started(routed);
    bench.script = () => ({ statusCode });
    await bench.clock.advance(240_000);
    expect(hostsOf(bench)).toEqual([...left]);
    // Nothing of it outlives the binding.
    await bench.clock.advance(301_000);
    expect(hostsOf(bench)).toEqual([]);
  });

  test("has no Service-Route after its end", async () => {
    const bench = await started(routed);
    const gone = bench.client.stop();
    await bench.clock.advance(1);
    await gone;
    expect(hostsOf(bench)).toEqual([]);
  });

  test("423 is answered with the registrar's minimum time", async () => {
    const { client, requests } = await started((request) =>
      Number(request.headers.get("expires")) < 900
        ? { statusCode: 423, headers: [["Min-Expires", 900]] }
        : accepted(request),
    );
    expect(client.status.name).toBe("registered");
    expect(requests.map((request) => request.headers.get("expires"))).toEqual(["300", "900"]);
  });

  test("a stale nonce is answered once more, a refused password is not", async () => {
    let round = 0;
    const stale = await started((request) => {
      round++;
      if (round === 1) return challenged(false)(request);
      return round === 2 ? challenged(true)(request) : accepted(request);
    });
    expect(stale.client.status.name).toBe("registered");
    expect(stale.requests).toHaveLength(3);
    const refused = await started(challenged(false));
    expect(refused.client.status).toMatchObject({ name: "failed", lastCode: 401 });
    expect(refused.requests).toHaveLength(2);
  });

  test("a registrar that changes its realm is answered", async () => {
    let realm = "old.test";
    const ask = (): ResponseParts => ({
      statusCode: 401,
      headers: [["WWW-Authenticate", `Digest realm="${realm}", nonce="n-${realm}", qop="auth"`]],
    });
    const { client, clock, requests } = await started((request) => {
      const given = parseCredentials(request.headers.get("authorization") ?? "");
      const isRight = given?.realm === realm && verifyCredentials(given, "p", "REGISTER");
      return isRight ? accepted(request) : ask();
    });
    realm = "new.test";
    await clock.advance(299_000);
    expect(requests.length).toBeGreaterThan(2);
    expect(client.status.name).toBe("registered");
  });

  test("a new nonce without `stale` is answered once more, and not again", async () => {
    const nonces = ["a", "b", "c", "d"];
    const anew = (): ResponseParts => ({
      statusCode: 401,
      headers: [["WWW-Authenticate", `Digest realm="r", nonce="${nonces.shift()}", qop="auth"`]],
    });
    const refused = await started(anew);
    expect(refused.client.status).toMatchObject({ name: "failed", lastCode: 401 });
    expect(refused.requests).toHaveLength(3);
    nonces.unshift("e", "f");
    const clustered = await started((request) =>
      request.headers.get("authorization")?.includes('nonce="f"') ? accepted(request) : anew(),
    );
    expect(clustered.client.status.name).toBe("registered");
  });

  test.each([
    ["auth-int over MD5", 'algorithm=MD5, qop="auth-int"'],
    ["MD5-sess", 'algorithm=MD5-sess, qop="auth,auth-int"'],
    ["MD5-sess without qop", "algorithm=MD5-sess"],
    ["MD5 with an empty qop", 'algorithm=MD5, qop=""'],
    ["SHA-256-sess with auth-int", 'algorithm=SHA-256-sess, qop="auth-int"'],
  ])("a challenge for %s is answered", async (_, asked) => {
    const value = `Digest realm="r", nonce="n", ${asked}`;
    const { client, requests } = await started((request) => {
      const given = parseCredentials(request.headers.get("authorization") ?? "");
      if (given && verifyCredentials(given, "p", "REGISTER")) return accepted(request);
      return { statusCode: 401, headers: [["WWW-Authenticate", value]] };
    });
    expect(client.status.name).toBe("registered");
    expect(requests).toHaveLength(2);
  });

  test.each([
    ["AKAv1-MD5", 'Digest realm="ims", nonce="n", algorithm=AKAv1-MD5, qop="auth"'],
    ["NTLM", 'NTLM realm="r", targetname="t"'],
    ["qop=token", 'Digest realm="r", nonce="n", qop="token"'],
  ])(
    "%s does not count as a wrong password: the status shows the challenge",
    async (asked, value) => {
      const { client, requests } = await started(() => ({
        statusCode: 401,
        headers: [["WWW-Authenticate", value]],
      }));
      const { status } = client;
      if (status.name !== "failed") throw new Error(status.name);
      expect(status.explanation).toContain(`(${asked})`);
      expect(status.explanation).not.toContain("user name or password");
      expect(requests).toHaveLength(1);
    },
  );

  test.each([2_592_000, 999_999_999, 2 ** 32])(
    "a grant of %d seconds counts as one day",
    async (seconds) => {
      const { clock, client, requests } = await started(() => ({
        statusCode: 200,
        headers: [["Contact", `<sip:me@192.0.2.1:5060>;expires=${seconds}`]],
      }));
      expect(client.status.name).toBe("registered");
      await clock.advance(22 * 3_600_000);
      expect(requests).toHaveLength(1);
      await clock.advance(2 * 3_600_000);
      expect(requests).toHaveLength(2);
    },
  );

  test.each([
    ["its Contact", [["Contact", "<sip:me@192.0.2.1:5060>;expires=0"]]],
    ["its Expires", [["Expires", 0]]],
  ] as const)(
    "a 200 with 0 in %s is no registration: retried with growing pauses",
    async (_, headers) => {
      const { clock, client, requests } = await started(() => ({ statusCode: 200, headers }));
      expect(client.status).toMatchObject({ name: "failed", lastCode: 200 });
      await clock.advance(20 * 60_000);
      expect(requests.length).toBeGreaterThan(20);
      expect(requests.length).toBeLessThan(50);
    },
  );

  test("an unanswered refresh leaves it registered until the binding ends, and then not", async () => {
    const running = await started(accepted);
    const statuses: string[] = [];
    running.client.onStatus(({ name }) => statuses.push(name));
    const before = running.client.status;
    running.script = () => null;
    await running.clock.advance(299_000);
    expect(running.requests.length).toBeGreaterThan(3);
    expect(running.client.status).toEqual(before);
    expect(statuses).toEqual([]);
    await running.clock.advance(2000);
    expect(running.client.status).toMatchObject({ name: "failed", lastCode: null });
    expect(statuses).toEqual(["failed"]);
    running.script = accepted;
    await running.clock.advance(60_000);
    expect(running.client.status.name).toBe("registered");
  });

  test.each([
    [500, "registered"],
    [503, "registered"],
    [403, "failed"],
  ] as const)("a refresh that gets %d leaves it %s", async (statusCode, name) => {
    const running = await started(accepted);
    running.script = () => ({ statusCode });
    await running.clock.advance(250_000);
    expect(running.client.status.name).toBe(name);
  });

  test("a refusal is retried after about ten minutes, not before nine", async () => {
    const { clock, client, requests } = await started(() => ({ statusCode: 403 }));
    expect(client.status).toMatchObject({ name: "failed", lastCode: 403 });
    await clock.advance(530_000);
    expect(requests).toHaveLength(1);
    await clock.advance(140_000);
    expect(requests).toHaveLength(2);
  });

  test.each([
    [503, 30],
    [403, 1],
  ])("a %d without Retry-After is retried %d times in a minute", async (statusCode, most) => {
    const { clock, requests } = await started(() => ({
      statusCode,
      headers: [["Retry-After", "0"]],
    }));
    await clock.advance(59_000);
    expect(requests).toHaveLength(most);
  });

  test.each([503, 403])("Retry-After of a %d is followed", async (statusCode) => {
    const { clock, requests } = await started(() => ({
      statusCode,
      headers: [["Retry-After", "120 (maintenance)"]],
    }));
    await clock.advance(119_000);
    expect(requests).toHaveLength(1);
    await clock.advance(2000);
    expect(requests).toHaveLength(2);
  });

  test("silence is retried with growing pauses of at most 45 s, so that we return within 60", async () => {
    const running = await started(() => null);
    expect(running.client.status).toMatchObject({ name: "failed", lastCode: null });
    await running.clock.advance(20 * 60_000);
    expect(running.requests.length).toBeGreaterThan(20);
    expect(running.requests.length).toBeLessThan(50);
    running.script = accepted;
    await running.clock.advance(60_000);
    expect(running.client.status.name).toBe("registered");
  });

  test("a changed public address is registered at once", async () => {
    const { clock, client, requests } = await started(accepted);
    client.refreshNow();
    await clock.advance(1);
    expect(requests).toHaveLength(2);
  });

  test("a suspended machine registers as soon as it is awake, and not before its time", async () => {
    const accepting = await started(accepted);
    accepting.clock.stepWallClock(200_000);
    accepting.client.catchUp();
    await accepting.clock.advance(1);
    expect(accepting.requests).toHaveLength(1);
    accepting.clock.stepWallClock(100_000);
    accepting.client.catchUp();
    await accepting.clock.advance(1);
    expect(accepting.requests).toHaveLength(2);
    const refusing = await started(() => ({ statusCode: 403 }));
    refusing.clock.stepWallClock(700_000);
    refusing.client.catchUp();
    await refusing.clock.advance(1);
    expect(refusing.requests).toHaveLength(2);
  });

  test("a trunk checks for a suspension with each keep-alive", async () => {
    const { host, password } = { host: "127.0.36.9", password: () => "p" };
    const registrar = await startRegistrar({ host, password });
    let asleepMs = 0;
    const clock: Clock = {
      ...systemClock,
      now: () => systemClock.now() + asleepMs,
      every: (ms, task) => systemClock.every(ms / 100, task),
    };
    const stack = await startStack(host, silentLog, {}, { clock });
    const { port } = registrar;
    const trunk = stack.addTrunk(trunkSettings({ server: host, port, password: "p" }));
    await settled(trunk);
    const before = registrar.requests.length;
    asleepMs = 3_600_000;
    await eventually(() => registrar.requests.length > before, "it registers again");
    await stack.close();
    registrar.close();
  });

  test("stopping un-REGISTERs, waits at most 2 s and leaves no timer", async () => {
    const running = await started(accepted);
    const stopped = running.client.stop();
    await running.clock.advance(1);
    await stopped;
    await running.client.stop(); // a drain un-registers before the end does
    expect(running.requests.at(-1)?.headers.get("expires")).toBe("0");
    expect(running.client.status.name).toBe("unregistered");
    expect(running.clock.pendingTimers).toBe(0);
  });
});
