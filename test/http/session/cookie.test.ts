/** The session cookie's reading and writing. */
import { expect, test } from "bun:test";
import { cookieName, cookieOf, setCookie } from "../../../src/http/session/cookie.ts";

const read = (cookie: string | null, name = "__Host-linevoice") =>
  cookieOf(new Headers(cookie === null ? {} : { cookie }), name);

test("is read by its exact name, the first of that name", () => {
  expect(read(null)).toBeNull();
  expect(read("")).toBeNull();
  expect(read("__Host-linevoice=abc")).toBe("abc");
  expect(read("a=1; __Host-linevoice=abc ; b=2")).toBe("abc");
  expect(read("__Host-linevoice=first; __Host-linevoice=second")).toBe("first");
  expect(read("__host-linevoice=abc")).toBeNull();
  expect(read("x__Host-linevoice=abc; __Host-linevoice2=abc")).toBeNull();
  expect(read("__Host-linevoice")).toBeNull();
  expect(read("linevoice_session=abc")).toBeNull();
});

test("has Secure exactly if its name requires it", () => {
  for (const secure of [true, false]) {
    const header = setCookie("abc", secure);
    expect(header.startsWith(`${cookieName(secure)}=abc; Path=/; `)).toBe(true);
    expect(header.includes("; Secure")).toBe(secure);
    expect(header).toContain("; HttpOnly");
    expect(header.endsWith("; SameSite=Lax")).toBe(true);
    expect(header).not.toContain("Domain");
  }
});
