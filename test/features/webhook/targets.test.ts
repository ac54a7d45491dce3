import { describe, expect, test } from "bun:test";
import { openedOnce } from "../../../src/features/webhook/targets.ts";

function counted() {
  const asked: string[] = [];
  const vault = openedOnce({
    open(sealed, binding) {
      asked.push(`${binding} ${sealed}`);
      if (sealed === "broken") throw new Error("does not open");
      return `plain ${sealed}`;
    },
  });
  return { vault, asked };
}

describe("a decrypted secret", () => {
  test("is cached, and a rotated one is another", () => {
    const { vault, asked } = counted();
    for (const sealed of ["a", "a", "b", "b"])
      expect(vault.open(sealed, "webhook:1")).toBe(`plain ${sealed}`);
    expect(asked).toEqual(["webhook:1 a", "webhook:1 b"]);
  });

  test("counts for its own row only", () => {
    const { vault, asked } = counted();
    for (const binding of ["webhook:1", "webhook:2"]) vault.open("a", binding);
    expect(asked).toEqual(["webhook:1 a", "webhook:2 a"]);
  });

  test("is retried after a failed decryption", () => {
    const { vault, asked } = counted();
    for (let n = 0; n < 2; n++) expect(() => vault.open("broken", "webhook:1")).toThrow();
    expect(asked).toHaveLength(2);
  });

  test.each([
    [1023, 1],
    [1024, 1],
    [1025, 2],
  ])("is cached among the 1,024 newest (of %d)", (amount, opened) => {
    const { vault, asked } = counted();
    for (let n = 0; n < amount; n++) vault.open("a", `webhook:${n}`);
    vault.open("a", "webhook:0");
    expect(asked.filter((one) => one === "webhook:0 a")).toHaveLength(opened);
  });
});
