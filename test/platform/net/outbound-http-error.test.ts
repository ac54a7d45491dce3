/** Every failure is said in words that a person without knowledge of the HTTP parser understands. */
import { expect, test } from "bun:test";
import { asOutboundHttpError } from "../../../src/platform/net/outbound-http-error.ts";

test.each([
  ["HPE_INVALID_CONSTANT", "is this the port of a web server?"],
  ["HPE_HEADER_OVERFLOW", "too large"],
  ["HPE_INVALID_HEADER_TOKEN", "header of the answer is malformed"],
  ["HPE_INVALID_CHUNK_SIZE", "wrong size"],
  ["HPE_UNEXPECTED_CONTENT_LENGTH", "wrong length"],
  ["HPE_INVALID_STATUS", "status line"],
  ["HPE_INVALID_VERSION", "version of HTTP"],
  ["HPE_INVALID_EOF_STATE", "broke off"],
  ["HPE_UNKNOWN_TO_US", "is not HTTP"],
])("%s is said in words", (code, words) => {
  const error = asOutboundHttpError(Object.assign(new Error(`Parse Error: ${code}`), { code }));
  expect(error.failure).toBe("bad_response");
  expect(error.message).toContain(words);
  expect(error.message).not.toContain("HPE_");
});
