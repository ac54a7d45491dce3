/** All 49 messages of RFC 4475, sent by a trunk's peer, each with the outcome that the RFC requires. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { IncomingLeg, SipStack } from "../../src/call/sip-port.ts";
import { parseMessage } from "../../src/sip/message/index.ts";
import { eventually } from "../support/eventually.ts";
import { startStack, trunkSettings } from "../support/sip/sip-stack.ts";

const OURS = "127.0.65.1";
const PEER = "127.0.65.2";
const FOLDER = join(import.meta.dir, "../support/sip/torture");

/** `call`: a call is offered to the appliance; `nothing`: a response that belongs to no request. */
type Outcome = number | "call" | "nothing";

/** REGISTER: we are no registrar, so 405 comes before all checks of a registrar (RFC 3261 8.2.1). */
const VALID: readonly (readonly [string, string, Outcome])[] = [
  ["wsinv", "folded, spaced and mixed, but well formed; into a dialog that is none", 481],
  ["intmeth", "a method, names and values of every character allowed", 405],
  ["esc01", "escapes in URIs", "call"],
  ["escnull", "NULs, escaped", 405],
  ["esc02", "percent signs that escape nothing, in a method", 405],
  ["lwsdisp", "no space before <", 200],
  ["longreq", "long names, values and many Vias", "call"],
  ["dblreq", "a second request in the datagram is not one", 405],
  ["semiuri", "a semicolon in the user part", 200],
  ["transports", "Vias of transports that do not exist", 200],
  ["mpart01", "a body of two parts, one binary", 405],
  ["unreason", "a reason phrase in Cyrillic", "nothing"],
  ["noreason", "no reason phrase at all", "nothing"],
];
const INVALID: readonly (readonly [string, string, Outcome])[] = [
  ["badinv01", "separators without values", 400],
  ["clerr", "Content-Length above the body", 400],
  ["ncl", "a negative Content-Length", 400],
  ["scalar02", "numbers above their range, in a request", 400],
  ["scalarlg", "numbers above their range, in a response", "nothing"],
  ["quotbal", "a quote that does not close", 400],
  ["ltgtruri", "<> around the Request-URI", 400],
  ["lwsruri", "a space inside the Request-URI", 400],
  ["lwsstart", "two spaces in the start line", 400],
  ["trws", "spaces behind the start line", 400],
  ["escruri", "headers inside the Request-URI", 400],
  ["baddate", "a Date that is not GMT, which we do not use", "call"],
  ["regbadct", "a Contact with headers and no <>", 400],
  ["badaspec", "spaces inside <>", 400],
  ["baddn", "a display name that wants quotes, in a message cut off behind its headers", 400],
  ["badvers", "SIP/7.0", 505],
  ["mismatch01", "CSeq of another method", 400],
  ["mismatch02", "CSeq of another method, and an unknown one", 400],
  ["bigcode", "a status code above all", "nothing"],
];
const OTHERS: readonly (readonly [string, string, Outcome])[] = [
  ["badbranch", "the magic cookie and nothing behind it", 200],
  ["insuf", "no From, To, Call-ID", 400],
  ["unkscm", "an unknown scheme", 416],
  ["novelsc", "a scheme of another protocol", 416],
  ["unksm2", "unknown schemes in From, To and Contact", 405],
  ["bext01", "extensions nobody knows", 420],
  ["invut", "a body of an unknown type", 415],
  ["regaut01", "an unknown authorisation scheme", 405],
  ["multi01", "two CSeqs, Call-IDs, Tos, Froms", 400],
  ["mcl01", "two Content-Lengths", 400],
  ["bcast", "a response sent to broadcast", "nothing"],
  ["zeromf", "OPTIONS that may go no further, and need not", 200],
  ["cparam01", "parameters of a Contact without <>", 405],
  ["cparam02", "parameters of a Contact inside <>", 405],
  ["regescrt", "headers inside a Contact's URI", 405],
  ["sdp01", "an INVITE that accepts no SDP", 406],
  ["inv2543", "a call of RFC 2543", "call"],
];

let stack: SipStack;
let legs: IncomingLeg[] = [];
let texts: string[] = [];
let sockets: Bun.udp.Socket<"buffer">[] = [];

const listen = (port: number) =>
  Bun.udpSocket({
    hostname: PEER,
    port,
    socket: { data: (_socket, bytes) => void texts.push(bytes.toString("utf8")), error: () => {} },
  });

beforeAll(async () => {
  // Answers go to the port in Via, by default 5060 (RFC 3261 18.2.2).
  sockets = await Promise.all([listen(5060), listen(5050), listen(5061)]);
});
afterAll(() => {
  for (const socket of sockets) socket.close();
});
// A new stack per message: several have the same branch, and would count as retransmissions.
beforeEach(async () => {
  legs = [];
  texts = [];
  stack = await startStack(OURS);
  stack.onIncoming((leg) => {
    legs.push(leg);
    leg.reject(486);
  });
  stack.addTrunk(trunkSettings({ server: PEER, register: false }));
  await Bun.sleep(5);
});
afterEach(() => stack.close());

/** Codes of the final answers with this Call-ID; unacknowledged refusals are repeated for long. */
const codes = (callId = ""): number[] =>
  texts
    .filter((text) => text.includes(callId))
    .map((text) => Number(/^SIP\/2\.0 (\d{3})/.exec(text)?.[1]))
    .filter((code) => code >= 200);

const send = (bytes: Uint8Array) =>
  sockets[0]?.send(bytes, stack.localAddress.port, stack.localAddress.host);

let probes = 0;
/** A request that must be answered, whatever came before it. */
async function stillThere(): Promise<void> {
  const callId = `alive-${++probes}`;
  const lines = [
    `OPTIONS sip:${OURS} SIP/2.0`,
    `Via: SIP/2.0/UDP ${PEER};branch=z9hG4bK${callId}`,
    ...["From: <sip:a@x>;tag=1", "To: <sip:b@x>", `Call-ID: ${callId}`, "CSeq: 1 OPTIONS"],
    ...["Max-Forwards: 70", "", ""],
  ];
  send(Buffer.from(lines.join("\r\n")));
  await eventually(() => texts.some((text) => text.includes(callId)), "the stack lives");
}

for (const [section, messages] of [
  ["RFC 4475 3.1.1, valid", VALID],
  ["RFC 4475 3.1.2, invalid", INVALID],
  ["RFC 4475 3.2 to 3.4", OTHERS],
] as const) {
  describe(section, () => {
    test.each(messages)("%s: %s: %p", async (name, _, outcome) => {
      const bytes = readFileSync(join(FOLDER, `${name}.dat`));
      const callId = /^(?:call-id|i)\s*:\s*(\S+)/im.exec(bytes.toString("latin1"))?.[1];
      send(bytes);
      if (outcome === "nothing") {
        await stillThere();
        expect(codes(callId)).toEqual([]);
        return;
      }
      const code = outcome === "call" ? 486 : outcome;
      await eventually(() => codes(callId).includes(code), `${name}: ${code}`, 5000);
      if (callId !== undefined) expect([...new Set(codes(callId))]).toEqual([code]);
      expect(legs).toHaveLength(outcome === "call" ? 1 : 0);
      await stillThere();
    });
  });
}

test("all 49 messages are tested", () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".dat"));
  const named = [...VALID, ...INVALID, ...OTHERS].map(([name]) => `${name}.dat`);
  expect(files.sort()).toEqual(named.sort());
  expect(files).toHaveLength(49);
});

describe("parsed values", () => {
  const read = (name: string) => {
    const message = parseMessage(readFileSync(join(FOLDER, `${name}.dat`)).toString("utf8"));
    if (message.kind === "failure") throw new Error(message.reason);
    return message;
  };

  test("wsinv: every oddly written value", () => {
    const message = read("wsinv");
    expect(message.headers.get("max-forwards")).toBe("0068");
    expect(message.cseq).toEqual({ number: 9, method: "INVITE" });
    expect(message.from.displayName).toBe('J Rosenberg \\"');
    expect(message.headers.all("via")).toHaveLength(3);
    expect(message.headers.get("newfangledheader")).toBe(
      "newfangled value continued newfangled value",
    );
    expect(message.body).toStartWith("v=0");
  });

  test("dblreq: the body ends after its Content-Length", () => {
    expect(read("dblreq").body).toBe("");
  });

  test("esc01: escapes in the dialled URI are resolved", () => {
    const text = readFileSync(join(FOLDER, "esc01.dat")).toString();
    send(Buffer.from(text.replace("z9hG4bKkdjuw", "z9hG4bKagain").replace("esc01.", "esc02.")));
    return eventually(() => legs[0]?.calledNumbers[0] === "sips:user@example.com", "the call");
  });

  test("baddn: the display name is read without its quotes if the message is valid", async () => {
    const text = readFileSync(join(FOLDER, "baddn.dat")).toString();
    send(Buffer.from(`${text.replace("baddn.", "whole.")}\r\n`));
    await eventually(() => codes("whole.31415").includes(200), "the answer");
  });

  test("inv2543: from a sender of RFC 3261 it is 400, because its Contact is missing", () => {
    const text = readFileSync(join(FOLDER, "inv2543.dat")).toString();
    expect(read("inv2543").headers.has("contact")).toBe(false);
    send(Buffer.from(text.replace("SIP/2.0/UDP iftgw", "SIP/2.0/UDP gw;branch=z9hG4bKnew.of")));
    return eventually(() => codes("inv2543.").includes(400), "the refusal");
  });

  test("unreason and noreason have the codes 200 and 100", () => {
    expect(read("unreason")).toMatchObject({ kind: "response", statusCode: 200 });
    expect(read("noreason")).toMatchObject({ statusCode: 100, reasonPhrase: "" });
  });

  test.each(["scalarlg", "bigcode"])("%s is not a message", (name) => {
    const text = readFileSync(join(FOLDER, `${name}.dat`)).toString("utf8");
    expect(parseMessage(text).kind).toBe("failure");
  });
});
