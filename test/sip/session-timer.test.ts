import { describe, expect, test } from "bun:test";
import {
  buildRequest,
  buildResponse,
  type HeaderInit,
  parseMessage,
  type SipMessage,
} from "../../src/sip/message/index.ts";
import { isIntervalTooSmall, SessionTimer } from "../../src/sip/session/session-timer.ts";
import { fakeClock } from "../support/fake-clock.ts";

function parsed(text: string): SipMessage {
  const message = parseMessage(text);
  if (message.kind === "failure") throw new Error(message.reason);
  return message;
}

function requestText(method: string, cseq: number, headers: HeaderInit = [], tag = ""): string {
  return buildRequest({
    method,
    uri: "sip:a@b",
    headers: [
      ["Via", "SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1"],
      ["From", "<sip:a@b>;tag=1"],
      ["To", `<sip:b@b>${tag}`],
      ["Call-ID", "c"],
      ["CSeq", `${cseq} ${method}`],
      ...headers,
    ],
  });
}

function requestOf(text: string) {
  const message = parsed(text);
  if (message.kind !== "request") throw new Error("no request");
  return message;
}

function answerText(request: string, headers: HeaderInit, statusCode = 200): string {
  return buildResponse(requestOf(request), { statusCode, toTag: "t", headers });
}

function bench() {
  const clock = fakeClock();
  const seen: string[] = [];
  const timer = new SessionTimer({
    clock,
    expiresSeconds: 1800,
    minSeconds: 90,
    refresh: () => seen.push("refresh"),
    expire: () => seen.push("expire"),
  });
  const send = (text: string) => parsed(timer.outgoing(parsed(text), text)).headers;
  const take = (text: string) => timer.incoming(parsed(text));
  return { clock, seen, timer, send, take };
}

const expires = (value: string): HeaderInit => [["Session-Expires", value]];
const INVITE = requestText("INVITE", 1);
const REINVITE = requestText("INVITE", 2, [], ";tag=t");

describe("a session timer", () => {
  test("is requested in the first INVITE and does not run before the remote party agrees", async () => {
    const { clock, seen, send, take } = bench();
    const headers = send(INVITE);
    expect(headers.get("session-expires")).toBe("1800");
    expect(headers.get("min-se")).toBe("90");
    expect(headers.hasToken("supported", "timer")).toBe(true);
    take(answerText(INVITE, []));
    await clock.advance(86_400_000);
    expect(seen).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  test("is refreshed by us at half its time, and ends the call 32 s early if that fails", async () => {
    const { clock, seen, timer, send, take } = bench();
    take(answerText(INVITE, expires("600;refresher=uac")));
    await clock.advance(299_999);
    expect(seen).toEqual([]);
    await clock.advance(1);
    expect(seen).toEqual(["refresh"]);
    expect(send(REINVITE).get("session-expires")).toBe("600;refresher=uac");
    take(answerText(REINVITE, expires("600;refresher=uac")));
    await clock.advance(300_000);
    expect(seen).toEqual(["refresh", "refresh"]);
    timer.refreshFailed();
    await clock.advance(2000);
    expect(seen).toEqual(["refresh", "refresh", "refresh"]);
    await clock.advance(265_999);
    expect(seen).not.toContain("expire");
    await clock.advance(1);
    expect(seen.at(-1)).toBe("expire");
    expect(clock.pendingTimers).toBe(0);
  });

  test("a failed refresh is retried with growing pauses, and a granted one ends them", async () => {
    const { clock, timer, seen, send, take } = bench();
    send(INVITE);
    const granted = expires("1800;refresher=uac");
    take(answerText(INVITE, granted));
    const refreshes = () => seen.filter((event) => event === "refresh").length;
    await clock.advance(900_000);
    expect(refreshes()).toBe(1);
    for (const pauseMs of [2000, 4000, 8000, 16_000, 32_000, 64_000, 64_000]) {
      const before = refreshes();
      timer.refreshFailed();
      await clock.advance(pauseMs - 1);
      expect(refreshes()).toBe(before);
      await clock.advance(1);
      expect(refreshes()).toBe(before + 1);
    }
    take(answerText(REINVITE, granted));
    await clock.advance(900_000);
    const before = refreshes();
    timer.refreshFailed();
    await clock.advance(2000);
    expect(refreshes()).toBe(before + 1);
  });

  test("of the remote party expires without a refresh, and continues with one", async () => {
    const { clock, seen, send, take } = bench();
    take(requestText("INVITE", 1, [["Supported", "timer"], ...expires("300")]));
    const headers = send(answerText(INVITE, []));
    expect(headers.get("session-expires")).toBe("300;refresher=uac");
    expect(headers.hasToken("require", "timer")).toBe(true);
    await clock.advance(200_000);
    const update = requestText("UPDATE", 7, [["Supported", "timer"], ...expires("300")], ";tag=t");
    take(update);
    send(answerText(update, []));
    await clock.advance(267_999);
    expect(seen).toEqual([]);
    await clock.advance(1);
    expect(seen).toEqual(["expire"]);
  });

  test("added by a proxy for a caller without support is refreshed by us", async () => {
    const { clock, seen, send, take } = bench();
    take(requestText("INVITE", 1, expires("300")));
    const headers = send(answerText(INVITE, []));
    expect(headers.get("session-expires")).toBe("300;refresher=uas");
    expect(headers.has("require")).toBe(false);
    await clock.advance(150_000);
    expect(seen).toEqual(["refresh"]);
  });

  test("missing from an answer stops", () => {
    const { clock, take } = bench();
    take(answerText(INVITE, expires("600;refresher=uac")));
    take(answerText(REINVITE, []));
    expect(clock.pendingTimers).toBe(0);
  });

  test("is requested again with the longer time of a 422, and only with a longer one", () => {
    const { timer, send } = bench();
    expect(timer.acceptMinimum("1200")).toBe(false);
    expect(timer.acceptMinimum(undefined)).toBe(false);
    expect(timer.acceptMinimum("3600")).toBe(true);
    expect(send(INVITE).get("session-expires")).toBe("3600");
    expect(send(INVITE).get("min-se")).toBe("3600");
  });

  test("adds nothing to rejections, and ignores other methods", () => {
    const { send, take } = bench();
    take(requestText("INVITE", 1, [["Supported", "timer"], ...expires("300")]));
    expect(send(answerText(INVITE, [], 486)).has("session-expires")).toBe(false);
    expect(send(requestText("BYE", 3, [], ";tag=t")).has("session-expires")).toBe(false);
  });
});

test("only a sender with timer support is refused for a short interval", () => {
  const able: HeaderInit = [["Supported", "timer"], ...expires("60")];
  expect(isIntervalTooSmall(requestOf(requestText("INVITE", 1, able)))).toBe(true);
  expect(isIntervalTooSmall(requestOf(requestText("INVITE", 1, expires("60"))))).toBe(false);
  expect(isIntervalTooSmall(requestOf(requestText("BYE", 1, able)))).toBe(false);
});
