import { expect, test } from "bun:test";
import { checkDestination, checkTransferTarget } from "../../../src/call/dialing-rules.ts";
import { e164 } from "../../../src/core/e164.ts";
import { AppError } from "../../../src/core/errors.ts";

const lithuanian = { allowedPrefixes: [], callerId: "+37052123456" };

const codeOf = (task: () => void): string => {
  try {
    task();
    return "allowed";
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
};

test.each([
  ["+37061234567", "allowed"],
  ["+37052123456", "allowed"],
  ["+37112345678", "destination_not_allowed"],
  ["+12125550123", "destination_not_allowed"],
  ["+8816123456789", "destination_not_allowed"],
  ["+870772001234", "destination_not_allowed"],
  ["+37090012345", "destination_not_allowed"],
])("without rules of its own a tenant dials its own country only: %s is %s", (number, verdict) => {
  expect(codeOf(() => checkDestination(e164(number), lithuanian))).toBe(verdict);
});

test("allowed prefixes open further countries, never satellites", () => {
  const rules = { allowedPrefixes: ["+370", "+371", "+88"], callerId: "+37052123456" };
  expect(codeOf(() => checkDestination(e164("+37126123456"), rules))).toBe("allowed");
  expect(codeOf(() => checkDestination(e164("+8816123456789"), rules))).toBe(
    "destination_not_allowed",
  );
});

test("without a caller id nothing may be dialled", () => {
  const rules = { allowedPrefixes: [], callerId: null };
  expect(codeOf(() => checkDestination(e164("+37061234567"), rules))).toBe(
    "destination_not_allowed",
  );
});

test.each([
  ["+37061234567", "allowed"],
  ["sip:desk@example.com", "allowed"],
  ["sip:+37061234567@example.com", "allowed"],
  ["sip:+8816123456789@example.com", "destination_not_allowed"],
  ["+12125550123", "destination_not_allowed"],
  ["desk", "valid_to_required"],
  ["http://example.com", "valid_to_required"],
  ["sip:a b@example.com", "valid_to_required"],
  ["sip:1001@example.com", "allowed"],
  ["sip:37061234567@example.com", "allowed"],
  ["sip:0037061234567@example.com", "allowed"],
  ["sip:+370-612-34567@example.com", "allowed"],
  ["sip:8816123456789@example.com", "destination_not_allowed"],
  ["sip:008816123456789@example.com", "destination_not_allowed"],
  ["sip:0118816123456789@example.com", "destination_not_allowed"],
  ["sip:%2B8816123456789@example.com", "destination_not_allowed"],
  ["sip:%2b88%31-6123456789@example.com", "destination_not_allowed"],
  ["sip:+8816123456789;phone-context=x@example.com", "destination_not_allowed"],
  ["sip:+8816123456789:password@example.com", "destination_not_allowed"],
  ["sip:+881-612-345-6789@example.com", "destination_not_allowed"],
  ["sip:+88161234567890123@example.com", "destination_not_allowed"],
  ["sip:90012345@example.com", "destination_not_allowed"],
  ["sip:%zz@example.com", "valid_to_required"],
  ["sip:desk?Replaces=1@example.com", "valid_to_required"],
  ["sips:desk@example.com", "valid_to_required"],
])("a transfer to %s is %s", (target, verdict) => {
  expect(codeOf(() => checkTransferTarget(target, lithuanian))).toBe(verdict);
});
