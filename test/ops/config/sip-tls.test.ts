/** [sip]: keys that only make sense together. */
import { expect, test } from "bun:test";
import { consistencyProblems } from "../../../src/ops/config/consistency.ts";
import { configSchema } from "../../../src/ops/config/schema.ts";

const problemsOf = (sip: Record<string, unknown>) =>
  consistencyProblems(configSchema.parse({ sip })).map(({ path }) => path.join("."));

test.each([
  ["tls_bind without a certificate", { tls_bind: "0.0.0.0:5061" }, ["sip.tls_cert"]],
  ["a certificate without its key", { tls_cert: "/a.pem" }, ["sip.tls_key"]],
  ["a key without its certificate", { tls_key: "/a.key" }, ["sip.tls_cert"]],
  ["all three", { tls_bind: "0.0.0.0:5061", tls_cert: "/a.pem", tls_key: "/a.key" }, []],
  ["none, with a private authority", { tls_ca_file: "/ca.pem" }, []],
])("%s", (_, sip, problems) => {
  expect(problemsOf(sip)).toEqual(problems);
});

test.each([
  ["stun.example.com", true],
  ["stun.example.com:3478", true],
  ["[2001:db8::1]:3478", true],
  ["stun.example.com:99999", false],
  ["not a host", false],
])("stun_server = %p", (stun_server, allowed) => {
  expect(configSchema.safeParse({ sip: { stun_server } }).success).toBe(allowed);
});
