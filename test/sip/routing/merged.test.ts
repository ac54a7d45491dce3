/**
 * Two servers before one callee, the first of them slow (RFC 3261 8.2.2.2): real transactions and sender, a fake
 * clock, and a text-only remote party.
 */
import { expect, test } from "bun:test";
import { seededRandom } from "../../../src/core/random.ts";
import {
  buildRequest,
  buildResponse,
  parseMessage,
  type SipRequest,
  type SipResponse,
} from "../../../src/sip/message/index.ts";
import { FailedTargets } from "../../../src/sip/routing/failed-targets.ts";
import type { Target } from "../../../src/sip/routing/locate.ts";
import { RESPONSE_DEADLINE_MS, RequestSender } from "../../../src/sip/routing/sender.ts";
import { TransactionLayer } from "../../../src/sip/transaction/layer.ts";
import type { Flow } from "../../../src/sip/transport/flow.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const targetAt = (host: string): Target => ({ transport: "UDP", remote: { host, port: 5060 } });
const FIRST = targetAt("192.0.2.1");
const SECOND = targetAt("192.0.2.2");

async function twoServers() {
  const clock = fakeClock();
  const random = seededRandom(3);
  const transactions = new TransactionLayer({ clock, onRequest: () => {}, flowTo: (flow) => flow });
  const failed = new FailedTargets(clock);
  const sender = new RequestSender({ clock, random, transactions, failed });
  const sent: { readonly to: string; readonly request: SipRequest }[] = [];
  const flowTo = (target: Target): Flow => ({
    ...target,
    reliable: false,
    send: (text) => {
      const request = parseMessage(text);
      if (request.kind === "request") sent.push({ to: target.remote.host, request });
    },
  });
  const codes: number[] = [];
  const failures: boolean[] = [];
  const compose = ({ branch }: { readonly branch: string }) =>
    buildRequest({
      method: "INVITE",
      uri: "sip:1@callee.test",
      headers: [
        ["Via", `SIP/2.0/UDP 192.0.2.9:5060;branch=${branch}`],
        ...[["From", "<sip:a@x>;tag=one"] as const, ["To", "<sip:1@callee.test>"] as const],
        ...[["Call-ID", "call"] as const, ["CSeq", "1 INVITE"] as const],
      ],
    });
  sender.send(
    { method: "INVITE", branch: "z9hG4bKone", compose },
    {
      targets: [FIRST, SECOND],
      open: async (target) => flowTo(target),
      openTcp: () => Promise.reject(new Error("no TCP")),
    },
    {
      onResponse: ({ statusCode }: SipResponse) => codes.push(statusCode),
      onFailure: ({ silent }) => failures.push(silent),
    },
  );
  await clock.advance(0);
  const methodsAt = ({ remote }: Target) => [
    ...new Set(sent.filter(({ to }) => to === remote.host).map(({ request }) => request.method)),
  ];
  const answer = (target: Target, statusCode: number) => {
    const invite = sent.find(
      ({ to, request }) => to === target.remote.host && request.method === "INVITE",
    );
    if (!invite) throw new Error("it was sent no INVITE");
    const text = buildResponse(invite.request, { statusCode, toTag: "callee" });
    const response = parseMessage(text);
    if (response.kind === "response") transactions.receiveResponse(response, flowTo(target));
  };
  await clock.advance(RESPONSE_DEADLINE_MS + 1);
  return { clock, codes, failures, methodsAt, answer };
}

test("482 from the second server: the silent first one has the call, and its late answer counts", async () => {
  const { codes, failures, methodsAt, answer, clock } = await twoServers();
  expect(methodsAt(SECOND)).toEqual(["INVITE"]);
  answer(SECOND, 482);
  expect(methodsAt(SECOND)).toEqual(["INVITE", "ACK"]);
  await clock.advance(5_000);
  answer(FIRST, 180);
  answer(FIRST, 200);
  await clock.advance(60_000);
  expect(codes).toEqual([180, 200]);
  expect(methodsAt(FIRST)).toEqual(["INVITE"]);
  expect(failures).toEqual([]);
});

test("… and if it stays silent, the call fails after 64·T1", async () => {
  const { codes, failures, answer, clock } = await twoServers();
  answer(SECOND, 482);
  await clock.advance(19_000);
  expect(failures).toEqual([]);
  await clock.advance(2_000);
  expect([codes, failures]).toEqual([[], [true]]);
});

test("a first server that answered meanwhile was cancelled: then 482 is reported", async () => {
  const { codes, methodsAt, answer } = await twoServers();
  answer(FIRST, 180);
  expect(methodsAt(FIRST)).toEqual(["INVITE", "CANCEL"]);
  answer(SECOND, 482);
  expect(codes).toEqual([482]);
});
