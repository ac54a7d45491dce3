/** The progress of a REFER as peers report it: results, no results, and NOTIFYs of other events. */
import { expect, test } from "bun:test";
import { type Session, SessionState, type URI } from "sip.js";
import { transfer } from "../../../src/sip/session/transfer.ts";
import { fakeClock } from "../../support/fake-clock.ts";

interface Notified {
  readonly event?: string;
  readonly state?: string;
  readonly body?: string;
}

/** A session that accepts a REFER; `notify` returns the status of the answer to its NOTIFY. */
function referred() {
  const clock = fakeClock();
  let onNotify: (notification: object) => void = () => {};
  let onState: (state: SessionState) => void = () => {};
  const session = {
    state: SessionState.Established,
    stateChange: {
      addListener: (listener: typeof onState) => {
        onState = listener;
      },
      removeListener: () => {},
    },
    refer: async (_: unknown, options: { onNotify: typeof onNotify }) => {
      ({ onNotify } = options);
    },
  } as unknown as Session;
  let outcome: unknown = "in progress";
  void transfer(session, {} as URI, clock).then((result) => {
    outcome = result;
  });
  const notify = async ({ event, state = "active", body = "" }: Notified) => {
    let status = 0;
    const headers: Record<string, string | undefined> = { event, "subscription-state": state };
    onNotify({
      request: { body, getHeader: (name: string) => headers[name] },
      accept: async () => {
        status = 200;
      },
      reject: async ({ statusCode }: { statusCode: number }) => {
        status = statusCode;
      },
    });
    await Bun.sleep(0);
    return status;
  };
  const hangUp = () => onState(SessionState.Terminated);
  return { clock, notify, hangUp, outcome: () => outcome };
}

const OVER = "terminated;reason=noresource";

test("100 with a terminated subscription is not a result: a hang-up or 40 s decide", async () => {
  const left = referred();
  expect(await left.notify({ event: "refer", state: OVER, body: "SIP/2.0 100 Trying" })).toBe(200);
  expect(left.outcome()).toBe("in progress");
  left.hangUp();
  await Bun.sleep(0);
  expect(left.outcome()).toEqual({ transferred: true, accepted: true, sipCode: null });
  const silent = referred();
  await silent.notify({ event: "refer", state: OVER, body: "SIP/2.0 183 Session Progress" });
  await silent.clock.advance(39_999);
  expect(silent.outcome()).toBe("in progress");
  await silent.clock.advance(1);
  await Bun.sleep(0);
  expect(silent.outcome()).toEqual({ transferred: false, accepted: true, sipCode: null });
});

test.each([
  [{ event: "refer;id=93809824" }, "SIP/2.0 200 OK", true, 200],
  [{}, "SIP/2.0 200 OK", true, 200],
  [{ event: "Refer" }, "SIP/2.0 486 Busy Here", false, 486],
  [{ event: "refer" }, "", false, null],
] as const)(
  "a last NOTIFY with %p and %p is a result",
  async (headers, body, transferred, sipCode) => {
    const { notify, outcome } = referred();
    expect(await notify({ ...headers, state: OVER, body })).toBe(200);
    expect(outcome()).toEqual({ transferred, accepted: true, sipCode });
  },
);

test.each(["dialog", "message-summary", "presence;id=1"])(
  "a NOTIFY of the event %s is refused and decides nothing",
  async (event) => {
    const { notify, outcome } = referred();
    expect(await notify({ event, state: OVER, body: "SIP/2.0 200 OK" })).toBe(489);
    expect(outcome()).toBe("in progress");
  },
);
