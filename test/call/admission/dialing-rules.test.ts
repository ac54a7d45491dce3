import { expect, test } from "bun:test";
import {
  checkDestination,
  checkTransferTarget,
  isTransferTarget,
} from "../../../src/call/admission/dialing-rules.ts";
import { e164 } from "../../../src/core/e164.ts";
import { AppError } from "../../../src/core/errors.ts";

const lithuanian = { allowedPrefixes: [], shortNumbers: [], callerId: "+37052123456" };

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
])("without its own rules a tenant dials its own country only: %s is %s", (number, verdict) => {
  expect(codeOf(() => checkDestination(e164(number), lithuanian))).toBe(verdict);
});

test("allowed prefixes open further countries, never satellites", () => {
  const rules = { ...lithuanian, allowedPrefixes: ["+370", "+371", "+88"] };
  expect(codeOf(() => checkDestination(e164("+37126123456"), rules))).toBe("allowed");
  expect(codeOf(() => checkDestination(e164("+8816123456789"), rules))).toBe(
    "destination_not_allowed",
  );
});

test.each([
  ["+870772001234", "Satellite and international network"],
  ["+878101234567890", "Satellite and international network"],
  ["+8816123456789", "Satellite and international network"],
  ["+882123456789", "Satellite and international network"],
  ["+883510012345678", "Satellite and international network"],
  ["+8881234567890", "Satellite and international network"],
  ["+979123456789", "Satellite and international network"],
  ["+37190123456", "Premium-rate"],
  ["+33810123456", "Premium-rate"],
  ["+447012345678", "Premium-rate"],
  ["+443331234567", "Premium-rate"],
  ["+12125550123", "Only numbers that start with"],
])("however many prefixes are allowed, %s is refused: %s", (number, words) => {
  const rules = { ...lithuanian, allowedPrefixes: ["+3", "+4", "+8", "+9"] };
  expect(() => checkDestination(e164(number), rules)).toThrow(words);
});

test("without a caller ID nothing may be dialled", () => {
  const rules = { ...lithuanian, callerId: null };
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
  ["sip:1001@example.com", "destination_not_allowed"],
  // Directory enquiries, a paid SMS code, star codes of the carrier, emergency, a short extension.
  ["sip:118118@example.com", "destination_not_allowed"],
  ["sip:1588@example.com", "destination_not_allowed"],
  ["sip:*72@example.com", "destination_not_allowed"],
  ["sip:%2A72@example.com", "destination_not_allowed"],
  ["sip:*21*37090012345#@example.com", "destination_not_allowed"],
  ["sip:*@example.com", "destination_not_allowed"],
  ["sip:112@example.com", "destination_not_allowed"],
  ["sip:911@example.com", "destination_not_allowed"],
  ["sip:1-1-2@example.com", "destination_not_allowed"],
  ["sip:112x@example.com", "destination_not_allowed"],
  ["sip:%31%312@example.com", "destination_not_allowed"],
  ["sip:%2531%2531%2532@example.com", "destination_not_allowed"],
  ["sip:%252525252531@example.com", "valid_to_required"],
  ["sip:7@example.com", "destination_not_allowed"],
  // Three nested escapes are resolved, four are not.
  ["sip:+3706123456%252537@example.com", "allowed"],
  ["sip:+3706123456%25252537@example.com", "valid_to_required"],
  ["sip:reception2@example.com", "allowed"],
  ["sip:anna.k@example.com", "allowed"],
  // Digits hidden by escapes, punctuation, letters.
  ["sip:a%2B37090012345@example.com", "destination_not_allowed"],
  ["sip:+37090012345!@example.com", "destination_not_allowed"],
  ["sip:+37090012345x@example.com", "destination_not_allowed"],
  ["sip:+370!900~12345@example.com", "destination_not_allowed"],
  ["sip:00a37126123456@example.com", "destination_not_allowed"],
  ["sip:x+37061234567@example.com", "allowed"],
  ["sip:desk;37090012345@example.com", "valid_to_required"],
  ["sip:desk%3B+37090012345@example.com", "valid_to_required"],
  ["sip:desk:900-12-345@example.com", "valid_to_required"],
  ["sip:%EF%BC%91%EF%BC%91%EF%BC%92@example.com", "valid_to_required"],
  ["sip:%D9%A1%D9%A1%D9%A2@example.com", "valid_to_required"],
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
  expect(isTransferTarget(target, lithuanian)).toBe(verdict === "allowed");
});

test.each([
  // North America shares +1, Great Britain +44, Russia +7.
  ["+12125550100", "+14155550123", "allowed"],
  ["+12125550100", "+18765551234", "destination_not_allowed"],
  ["+12125550100", "+18091234567", "destination_not_allowed"],
  ["+12125550100", "+12645551234", "destination_not_allowed"],
  ["+12125550100", "+14735551234", "destination_not_allowed"],
  ["+12125550100", "+17675551234", "destination_not_allowed"],
  ["+12125550100", "+12425551234", "destination_not_allowed"],
  ["+12125550100", "+14165550123", "destination_not_allowed"],
  ["+12125550100", "+18005551234", "allowed"],
  ...[833, 844, 855, 866, 877, 888].map((code) => ["+14165550123", `+1${code}5551234`, "allowed"]),
  ["+442079460000", "+18005551234", "destination_not_allowed"],
  ["+14165550123", "+12125550100", "destination_not_allowed"],
  ["+18765551234", "+12125550100", "destination_not_allowed"],
  ["+442079460000", "+447400123456", "allowed"],
  ["+442079460000", "+447624123456", "destination_not_allowed"],
  ["+442079460000", "+447781123456", "destination_not_allowed"],
  ["+442079460000", "+441534123456", "destination_not_allowed"],
  ["+442079460000", "+44118118", "destination_not_allowed"],
  ["+74951234567", "+79161234567", "allowed"],
  ["+74951234567", "+77011234567", "destination_not_allowed"],
  ["+77011234567", "+79161234567", "destination_not_allowed"],
  ["+37052123456", "+3701588", "destination_not_allowed"],
])("from %s, %s is %s: the country counts, not its calling code", (callerId, to, verdict) => {
  const rules = { ...lithuanian, callerId };
  expect(codeOf(() => checkDestination(e164(to), rules))).toBe(verdict);
  expect(codeOf(() => checkTransferTarget(`sip:${to}@example.com`, rules))).toBe(verdict);
});

test.each([
  ["sip:112@example.com", "allowed"],
  ["sip:1001@example.com", "allowed"],
  ["sip:1999@example.com", "allowed"],
  ["sip:10011@example.com", "destination_not_allowed"],
  ["sip:2001@example.com", "destination_not_allowed"],
  ["sip:1*01@example.com", "destination_not_allowed"],
  ["sip:*8#@example.com", "allowed"],
  ["sip:*9#@example.com", "destination_not_allowed"],
])("the operator's list opens short numbers, digit for digit: %s is %s", (target, verdict) => {
  const rules = { ...lithuanian, shortNumbers: ["112", "1xxx", "*8#"] };
  expect(codeOf(() => checkTransferTarget(target, rules))).toBe(verdict);
});

test.each([
  ["370612", "Short numbers"],
  ["3706123", "telephone number is not complete"],
])("six digits are a short number, seven a telephone number: %s", (digits, words) => {
  const check = () => checkTransferTarget(`sip:${digits}@example.com`, lithuanian);
  expect(check).toThrow(words);
});

test("the refusal names the request's field: to_number of a call, to of a transfer", () => {
  const fieldOf = (run: () => unknown) => {
    try {
      run();
    } catch (error) {
      return error instanceof AppError && error.code === "destination_not_allowed" && error.field;
    }
  };
  for (const number of ["+8816123456789", "+37090012345", "+12125550100"].map(e164)) {
    expect(fieldOf(() => checkDestination(number, lithuanian))).toBe("to_number");
    expect(fieldOf(() => checkTransferTarget(number, lithuanian))).toBe("to");
  }
  for (const user of ["112", "*31#", "99999999999999999", "+37090012345"])
    expect(fieldOf(() => checkTransferTarget(`sip:${user}@example.com`, lithuanian))).toBe("to");
});
