/** The device of a session by its User-Agent. */
import { expect, test } from "bun:test";
import { deviceName } from "../../src/dashboard/web/pages/profile/device-name.ts";

const WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)";

test.each([
  [`Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chrome/156.0.0.0 Safari/537.36`, "Chrome, Linux"],
  [`Mozilla/5.0 (Windows NT 10.0) ${WEBKIT} Chrome/156.0 Safari/537.36 Edg/156.0`, "Edge, Windows"],
  [
    `Mozilla/5.0 (Linux; Android 16) ${WEBKIT} Chrome/156.0 Mobile Safari/537.36`,
    "Chrome, Android",
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) ${WEBKIT} Version/19.0 Safari/604.1`,
    "Safari, iPhone",
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 15.0; rv:150.0) Gecko/20100101 Firefox/150.0",
    "Firefox, macOS",
  ],
  ["curl/8.14.1", "curl/8.14.1"],
  ["", ""],
])("%s", (userAgent, name) => {
  expect(deviceName(userAgent)).toBe(name);
});
