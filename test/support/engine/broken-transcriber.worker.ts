/** The transcriber's thread with a model that is none. */
import { readHearingPack } from "../../../src/adapter/engine/embedded/recogniser/transcriber/hearing-pack.ts";
import { TranscriberHost } from "../../../src/adapter/engine/embedded/recogniser/transcriber/host.ts";
import type { ToTranscriber } from "../../../src/adapter/engine/embedded/recogniser/transcriber/messages.ts";
import { Moonshine } from "../../../src/adapter/engine/embedded/recogniser/transcriber/moonshine.ts";

declare const self: Worker;

const pack = readHearingPack();
const broken = { ...pack, part: () => pack.part("runtime") };
const host = new TranscriberHost(
  (message) => self.postMessage(message),
  () => Moonshine.load(broken),
);
self.onmessage = (event: MessageEvent<ToTranscriber>) => host.receive(event.data);
