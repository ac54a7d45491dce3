/** Called number and caller's number from the headers of an INVITE. */
import { describe, expect, test } from "bun:test";
import { buildRequest, parseMessage, type SipRequest } from "../../../src/sip/message/index.ts";
import { calledNumbersOf, callerNumberOf, isForAccount } from "../../../src/sip/session/parties.ts";

const NAMES = { contactUser: "0123abcd", username: "acme" };

interface Parts {
  readonly uri?: string;
  readonly to?: string;
  readonly from?: string;
  readonly more?: readonly (readonly [string, string])[];
}

function invite(parts: Parts): SipRequest {
  const { uri = "sip:0123abcd@127.0.0.1", to = "<sip:acme@carrier.test>", more = [] } = parts;
  const text = buildRequest({
    method: "INVITE",
    uri,
    headers: [
      ["Via", "SIP/2.0/UDP 127.0.0.1;branch=z9hG4bKparties"],
      ["From", `${parts.from ?? "<sip:+37061231238@carrier.test>"};tag=1`],
      ["To", to],
      ["Call-ID", "parties"],
      ["CSeq", "1 INVITE"],
      ["Max-Forwards", 70],
      ...more,
    ],
  });
  const message = parseMessage(text);
  if (message.kind !== "request") throw new Error("no request");
  return message;
}

describe("the called number", () => {
  const called = (parts: Parts) => calledNumbersOf(invite(parts), NAMES.contactUser);

  test("is read in order of trust, and never from our Contact user", () => {
    const more = [
      ["P-Called-Party-ID", "<sip:3@x>"],
      ["History-Info", "<sip:5@x>;index=1, <sip:4@x>;index=1.1"],
      ["Diversion", "<sip:6@x>;reason=unconditional"],
    ] as const;
    expect(called({ uri: "sip:1@x", to: "<sip:2@x>", more })).toEqual([
      "1",
      "2",
      "3",
      "4",
      "5",
      "6",
    ]);
    expect(called({ to: "<sip:0123abcd@x>" })).toEqual([]);
  });

  test("is the trunk's own if the Request-URI is our Contact or the account", () => {
    const forAccount = (parts: Parts) => isForAccount(invite(parts), NAMES);
    expect(forAccount({})).toBe(true);
    expect(forAccount({ uri: "sip:acme@127.0.0.1" })).toBe(true);
    expect(forAccount({ uri: "sip:127.0.0.1" })).toBe(true);
    expect(forAccount({ uri: "sip:+37060000001@127.0.0.1" })).toBe(false);
    const nameless = isForAccount(invite({ uri: "sip:127.0.0.1", to: "<sip:127.0.0.1>" }), {
      ...NAMES,
      username: "",
    });
    expect(nameless).toBe(false);
  });
});

describe("the caller's number", () => {
  const caller = (from: string, ...more: readonly (readonly [string, string])[]) =>
    callerNumberOf(invite({ from, more }));
  const NUMBER = "<sip:+37061231238@x>";
  const OTHER = "<sip:+37069999999@x>";

  test("comes from the network before the caller", () => {
    expect(caller(NUMBER)).toBe("+37061231238");
    expect(caller(NUMBER, ["P-Asserted-Identity", OTHER])).toBe("+37069999999");
    expect(caller(NUMBER, ["Remote-Party-ID", `${OTHER};party=calling;screen=yes`])).toBe(
      "+37069999999",
    );
    expect(caller(NUMBER, ["Remote-Party-ID", `${OTHER};party=called`])).toBe("+37061231238");
    expect(caller("<sip:unknown@x>", ["Remote-Party-ID", OTHER])).toBe("+37069999999");
    expect(caller(NUMBER, ["P-Asserted-Identity", "<sip:acme@x>"])).toBe("+37061231238");
  });

  test.each([
    "unavailable",
    "restricted",
    "Unknown",
    "Anonymous",
    "asterisk",
    "x%0A%0A%23%23%20New",
  ])("is not known from %s", (user) => {
    expect(caller(`<sip:${user}@x>`)).toBeNull();
  });

  test("is hidden if privacy is requested, and shown otherwise", () => {
    expect(caller(NUMBER, ["Privacy", "id"])).toBeNull();
    expect(caller(NUMBER, ["Privacy", "user;id"])).toBeNull();
    expect(caller(NUMBER, ["Remote-Party-ID", `${OTHER};privacy=full`])).toBeNull();
    const hidden = "<sip:anonymous@anonymous.invalid>";
    expect(caller(hidden, ["P-Asserted-Identity", OTHER])).toBeNull();
    expect(caller(hidden, ["P-Asserted-Identity", OTHER], ["Privacy", "none"])).toBe(
      "+37069999999",
    );
    expect(caller(hidden, ["Remote-Party-ID", `${OTHER};privacy=off`])).toBe("+37069999999");
  });
});
