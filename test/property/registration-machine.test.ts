import { expect, test } from "bun:test";
import fc from "fast-check";
import { StateMachine } from "../../src/core/state-machine.ts";
import {
  REGISTRATION_TABLE,
  type RegistrationEvent,
  type RegistrationState,
} from "../../src/sip/registration-state.ts";

const event: fc.Arbitrary<RegistrationEvent> = fc.oneof(
  fc.constantFrom<RegistrationEvent>(
    { type: "start" },
    { type: "due" },
    { type: "stop" },
    { type: "gone" },
    { type: "expired" },
  ),
  fc.constant<RegistrationEvent>({ type: "accepted", expiresAtMs: 2, refreshAtMs: 1 }),
  fc.constant<RegistrationEvent>({
    type: "rejected",
    lastCode: 403,
    explanation: "x",
    nextAttemptAtMs: 3,
    bindingServes: true,
  }),
);

function machine() {
  const initial: RegistrationState = { name: "idle" };
  return new StateMachine("registration", REGISTRATION_TABLE, initial as RegistrationState, {
    onIllegal: () => {},
  });
}

test("after any events, stop and its answer end the registration", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      const registration = machine();
      for (const each of events) registration.apply(each);
      expect(registration.apply({ type: "stop" })).toBe(true);
      if (registration.state.name !== "unregistered") registration.apply({ type: "gone" });
      expect(registration.state.name).toBe("unregistered");
    }),
  );
});

test("an ended registration stays ended", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      const registration = machine();
      registration.apply({ type: "stop" });
      for (const each of events) registration.apply(each);
      expect(registration.state.name).toBe("unregistered");
    }),
  );
});
