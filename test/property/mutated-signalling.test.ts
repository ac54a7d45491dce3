/**
 * Mutated signalling: parser, header values, refusals, stream framing, challenges, transactions and STUN. Only the
 * typed errors are thrown, and memory does not grow. `MUTATIONS` inputs of each kind (default 20,000; `npm run
 * soak mutations` takes 1,000,000). Descriptions and media: media/mutated-media.
 */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Random, randomInt, seededRandom } from "../../src/core/random.ts";
import { parseChallenges, parseCredentials } from "../../src/sip/digest.ts";
import {
  buildResponse,
  MESSAGE_BYTES_MAX,
  parseMessage,
  parseNameAddr,
  rejectMalformed,
  responseDestination,
  serialise,
  withPlainSdp,
} from "../../src/sip/message/index.ts";
import { buildBindingRequest, parseBindingAnswer } from "../../src/sip/nat/stun.ts";
import { rejectionOf } from "../../src/sip/request-checks.ts";
import { calledNumbersOf, callerNumberOf } from "../../src/sip/session/parties.ts";
import { replacesOf } from "../../src/sip/session/replaces.ts";
import { TransactionLayer } from "../../src/sip/transaction/layer.ts";
import type { Flow } from "../../src/sip/transport/flow.ts";
import { StreamFramer, UnframedStream } from "../../src/sip/transport/framer.ts";
import { fakeClock } from "../support/fake-clock.ts";

const RUNS = Number(process.env.MUTATIONS ?? 20_000);
const GROWTH_BYTES_MAX = 48 * 2 ** 20;
const TIME_LIMIT_MS = 60_000 + RUNS / 2;
const FOLDER = join(import.meta.dir, "../support/sip/torture");
const CORPUS = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".dat"))
  .map((name) => readFileSync(join(FOLDER, name)));
const SOURCE = { host: "192.0.2.99", port: 5060 };
/** Texts that are likely to confuse a parser. */
const MORSELS = [
  '"',
  "\\",
  "<",
  ">",
  ";",
  ",",
  ":",
  "@",
  "=",
  "%",
  "\r\n",
  "\r\n ",
  "\r\n\r\n",
  "\0",
  "é",
]
  .concat(["sip:", "SIP/2.0", "tag=", "Via: ", "Content-Length: 99999999", "Replaces: a;to-tag=b"])
  .map((text) => Buffer.from(text));

/** Bytes changed, cut out, doubled, texts inserted; sometimes from two messages. */
function mutate(random: Random, corpus: readonly Buffer[]): Buffer {
  const pick = () => corpus[randomInt(random, corpus.length)] ?? Buffer.alloc(0);
  let bytes = Buffer.from(pick());
  for (let count = 1 + randomInt(random, 6); count > 0; count--) {
    const at = randomInt(random, bytes.length + 1);
    const end = Math.min(bytes.length, at + randomInt(random, 60));
    const [before, middle, after] = [
      bytes.subarray(0, at),
      bytes.subarray(at, end),
      bytes.subarray(end),
    ];
    const morsel = MORSELS[randomInt(random, MORSELS.length)] ?? middle;
    switch (randomInt(random, 6)) {
      case 0:
        bytes = Buffer.concat([before, after]);
        break;
      case 1:
        bytes = Buffer.concat([before, middle, middle, after]);
        break;
      case 2:
        bytes = Buffer.concat([before, random.bytes(randomInt(random, 20)), middle, after]);
        break;
      case 3:
        bytes = Buffer.concat([before, pick().subarray(0, randomInt(random, 400)), after]);
        break;
      default:
        bytes = Buffer.concat([before, morsel, middle, after]);
    }
  }
  return bytes;
}

/** Checks the heap growth after `task`, compared with a first tenth of the runs. */
function expectNoGrowth(task: (runs: number) => void): void {
  task(Math.ceil(RUNS / 10));
  Bun.gc(true);
  const before = process.memoryUsage().heapUsed;
  task(RUNS);
  Bun.gc(true);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(GROWTH_BYTES_MAX);
}

test(
  `${RUNS} mutated messages: read or refused, and every read one can be answered`,
  () => {
    const random = seededRandom(41);
    const counts = { read: 0, refused: 0 };
    expectNoGrowth((runs) => {
      for (let run = 0; run < runs; run++) {
        const text = mutate(random, CORPUS).toString("utf8");
        const message = parseMessage(text);
        if (message.kind === "failure") {
          counts.refused++;
          const refusal = rejectMalformed(text, message, SOURCE);
          if (refusal && !refusal.text.startsWith("SIP/2.0 ")) throw new Error("no answer");
          continue;
        }
        counts.read++;
        serialise(message);
        if (message.kind === "response") continue;
        const answer = buildResponse(message, { statusCode: 200, toTag: "t" });
        if (parseMessage(answer).kind === "failure") throw new Error(`unreadable: ${answer}`);
        rejectionOf(withPlainSdp(message));
        replacesOf(message);
        responseDestination(message.via);
        calledNumbersOf(message, "user");
        callerNumberOf(message);
      }
    });
    // Both results occur often enough for the count to mean something.
    expect(counts.read).toBeGreaterThan(RUNS / 50);
    expect(counts.refused).toBeGreaterThan(RUNS / 50);
  },
  TIME_LIMIT_MS,
);

test(
  `${RUNS} mutated byte streams: framed or given up, with at most one message in memory`,
  () => {
    const random = seededRandom(42);
    expectNoGrowth((runs) => {
      let framer = new StreamFramer();
      for (let run = 0; run < runs; run++) {
        const bytes = mutate(random, CORPUS);
        const cut = randomInt(random, bytes.length + 1);
        try {
          for (const chunk of [bytes.subarray(0, cut), bytes.subarray(cut)])
            for (const item of framer.push(chunk))
              if (item.kind === "message")
                expect(item.bytes.length).toBeLessThanOrEqual(MESSAGE_BYTES_MAX);
        } catch (error) {
          if (!(error instanceof UnframedStream)) throw error;
          framer = new StreamFramer();
        }
      }
    });
  },
  TIME_LIMIT_MS,
);

test(
  `${RUNS} mutated header values: challenges, credentials, addresses`,
  () => {
    const random = seededRandom(43);
    const values = [
      'Digest realm="a", nonce="b", qop="auth,auth-int", algorithm=SHA-256, stale=true, opaque="x"',
      'Digest username="u", realm="r", nonce="n", uri="sip:x", response="0", qop=auth, nc=00000001',
      '"A. \\"B\\" C" <sip:user:pw@[2001:db8::1]:5060;transport=tcp?a=b>;tag=1;x="y;z"',
    ].map((value) => Buffer.from(value));
    expectNoGrowth((runs) => {
      for (let run = 0; run < runs; run++) {
        const value = mutate(random, values).toString("utf8");
        parseChallenges([value, value]);
        parseCredentials(value);
        parseNameAddr(value);
      }
    });
  },
  TIME_LIMIT_MS,
);

test(
  `${RUNS} mutated STUN answers: a valid address, or nothing`,
  () => {
    const random = seededRandom(44);
    const answer = buildBindingRequest(random.bytes(12));
    answer.writeUInt16BE(0x0101, 0);
    const address = Buffer.from("002000080001a147e112a643", "hex");
    answer.writeUInt16BE(address.length, 2);
    const corpus = [Buffer.concat([answer, address])];
    let read = 0;
    expectNoGrowth((runs) => {
      for (let run = 0; run < runs; run++) {
        const bytes = Buffer.from(corpus[0] ?? "");
        for (let count = randomInt(random, 3); count > 0; count--)
          bytes[randomInt(random, bytes.length)] = randomInt(random, 256);
        const shortened = bytes.subarray(
          0,
          bytes.length - (run % 5 === 0 ? randomInt(random, 32) : 0),
        );
        const mapped = parseBindingAnswer(
          run % 7 === 0 ? mutate(random, corpus) : shortened,
        )?.mapped;
        if (!mapped) continue;
        read++;
        if (mapped.port < 1 || mapped.port > 65_535) throw new Error("no port");
      }
    });
    expect(read).toBeGreaterThan(RUNS / 50);
  },
  TIME_LIMIT_MS,
);

test(
  `${RUNS} mutated messages through the transaction layer: all transactions end in time`,
  async () => {
    const random = seededRandom(45);
    const clock = fakeClock();
    const flow: Flow = { transport: "UDP", remote: SOURCE, reliable: false, send: () => {} };
    const layer = new TransactionLayer({
      clock,
      flowTo: () => flow,
      onRequest: (request) => {
        if (request.method !== "ACK") layer.respond(request, { statusCode: 486, toTag: "t" });
      },
    });
    const step = 500;
    for (let run = 0; run < RUNS; run += step) {
      for (let each = 0; each < step; each++) {
        const message = parseMessage(mutate(random, CORPUS).toString("utf8"));
        if (message.kind === "request") layer.receiveRequest(message, flow);
        else if (message.kind === "response") layer.receiveResponse(message, flow);
      }
      await clock.advance(11 * 60_000);
      expect([layer.size, clock.pendingTimers]).toEqual([0, 0]);
    }
  },
  TIME_LIMIT_MS * 2,
);
