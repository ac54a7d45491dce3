/** The URL of a libSQL server: without credentials, and with a warning if the internet can read it. */
import { expect, test } from "bun:test";
import { plainStore } from "../../../src/ops/config/plain-store.ts";
import { configSchema } from "../../../src/ops/config/schema.ts";
import { isDatabaseUrl } from "../../../src/platform/config/formats.ts";

test.each([
  ["libsql://db.example.com", true],
  ["http://127.0.0.1:8080", true],
  ["https://db.example.com/v2", true],
  ["libsql://db.example.com?authToken=SECRET", false],
  ["libsql://db.example.com?tls=0", false],
  ["http://user:pw@127.0.0.1:8080", false],
  ["http://user@127.0.0.1:8080", false],
  ["https://db.example.com/#authToken=SECRET", false],
  ["ftp://db.example.com", false],
])("%s is accepted: %p", (url, isTaken) => {
  expect(isDatabaseUrl(url)).toBe(isTaken);
});

test.each([
  ["file", true],
  ["https://db.example.com", true],
  ["libsql://203.0.114.7", true],
  ["http://127.0.0.1:8080", true],
  ["http://[::1]:8080", true],
  ["http://10.1.2.3:8080", true],
  ["http://db:8080", true],
  ["http://db.internal:8080", true],
  ["http://8.8.8.8:8080", false],
  ["http://[2606:4700::1111]:8080", false],
  ["http://db.example.com", false],
])("%s counts as private: %p", (database, isPrivate) => {
  const config = configSchema.parse({ storage: { database } });
  expect(plainStore({ config }) === null).toBe(isPrivate);
});
