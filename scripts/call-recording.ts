/**
 * Records docs/images/call.webp: the first call of the demo in the dashboard while it is live, then
 * its page. Needs dist/linevoice (`npm run build`), Chromium and ffmpeg; takes about a minute.
 *
 *   node scripts/bun.mjs scripts/call-recording.ts
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { launchChromium } from "../test/support/browser/chromium.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const binary = join(root, "dist/linevoice");
const output = join(root, "docs/images/call.webp");
const BYTES_MAX = 2_000_000;
const SIZE = { width: 1000, height: 640 };
/** Frames per second while recording. */
const TAKEN = 2;
const SHOWN = 4;
const CALL_SECONDS_MAX = 60;
/** Seconds for which the call's page is shown at the end. */
const PAGE_SECONDS = 4;

/** Collects the demo's output; `found` waits for a pattern in it. */
function printedBy(output: ReadableStream<Uint8Array>) {
  let text = "";
  void (async () => {
    for await (const part of output) text += new TextDecoder().decode(part);
  })();
  return async (pattern: RegExp): Promise<string> => {
    for (let waited = 0; waited < 120_000; waited += 200) {
      const [, value] = pattern.exec(text) ?? [];
      if (value !== undefined) return value;
      await Bun.sleep(200);
    }
    throw new Error(`the demo did not print ${pattern}: ${text}`);
  };
}

async function record(page: Page, origin: string, directory: string): Promise<number> {
  let count = 0;
  const take = async () => {
    const picture = await page.screenshot({ type: "png" });
    writeFileSync(join(directory, `${String(count++).padStart(4, "0")}.png`), picture);
  };
  await page.goto(`${origin}/app/live`);
  const live = page.locator("article, .card").filter({ hasText: "+37061234567" });
  await live.first().waitFor();
  for (let taken = 0; taken < CALL_SECONDS_MAX * TAKEN; taken++) {
    if ((await live.count()) === 0) break;
    await take();
    await Bun.sleep(1000 / TAKEN);
  }
  await page.goto(`${origin}/app/calls?direction=inbound`);
  await page
    .getByRole("link", { name: /Jonas|37061234567/ })
    .first()
    .click();
  await page.locator("main#content h1").waitFor();
  await Bun.sleep(1500);
  for (let taken = 0; taken < PAGE_SECONDS * SHOWN; taken++) await take();
  return count;
}

const directory = mkdtempSync(join(tmpdir(), "recording-"));
const demo = Bun.spawn([binary, "demo", "--data-dir", join(directory, "data")], {
  stdout: "pipe",
  stderr: "ignore",
});
const browser = await launchChromium();
try {
  const found = printedBy(demo.stdout);
  const link = await found(/watch\s+(http\S+)/);
  const page = await browser.newPage({ viewport: SIZE, colorScheme: "light", locale: "en-GB" });
  await page.goto(link);
  await page.locator("main#content h1").waitFor();
  const pictures = await record(page, new URL(link).origin, directory);
  const made = Bun.spawnSync([
    ...["ffmpeg", "-loglevel", "error", "-y", "-framerate", String(SHOWN)],
    ...["-i", join(directory, "%04d.png"), "-vf", "scale=800:-1:flags=lanczos"],
    ...["-c:v", "libwebp_anim", "-quality", "60", "-compression_level", "6", "-loop", "0", output],
  ]);
  const { size } = Bun.file(output);
  if (!made.success || size > BYTES_MAX) throw new Error(`${size} bytes: ${made.stderr}`);
  console.log(`wrote docs/images/call.webp: ${pictures} pictures, ${Math.round(size / 1000)} kB`);
} finally {
  await browser.close();
  demo.kill("SIGTERM");
  await demo.exited;
  rmSync(directory, { recursive: true, force: true });
}
