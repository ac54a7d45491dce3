/** Our QR codes against those of another library. */
import { expect, test } from "bun:test";
import qrcode from "qrcode-generator";
import { qrModules } from "../../src/dashboard/web/ui/qr.ts";

const MASKS = [0, 1, 2, 3, 4, 5, 6, 7];

function reference(text: string): string {
  const code = qrcode(0, "L");
  code.addData(text, "Byte");
  code.make();
  const indices = Array.from({ length: code.getModuleCount() }, (_, at) => at);
  return indices
    .map((y) => indices.map((x) => (code.isDark(y, x) ? "#" : ".")).join(""))
    .join("\n");
}

const drawn = (text: string, mask: number) =>
  (qrModules(text, mask) ?? [])
    .map((row) => row.map((dark) => (dark ? "#" : ".")).join(""))
    .join("\n");

test("a text of any length that fits is drawn as another library draws it, for the mask it chose", () => {
  for (const length of [1, 17, 18, 32, 53, 78, 106, 134, 154, 192, 230]) {
    const text = "otpauth://totp/x?".repeat(20).slice(0, length);
    const wanted = reference(text);
    expect({ length, same: MASKS.filter((mask) => drawn(text, mask) === wanted).length }).toEqual({
      length,
      same: 1,
    });
  }
});

test("a text that is too long is not drawn", () => {
  expect(qrModules("x".repeat(230))).not.toBeNull();
  expect(qrModules("x".repeat(231))).toBeNull();
});
