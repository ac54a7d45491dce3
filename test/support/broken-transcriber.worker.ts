/** The transcriber's thread with a model that is none. */
import { TranscriberHost } from "../../src/adapter/engine/embedded/recogniser/transcriber/host.ts";
import type { ToTranscriber } from "../../src/adapter/engine/embedded/recogniser/transcriber/messages.ts";
import { MODEL_FILES } from "../../src/adapter/engine/embedded/recogniser/transcriber/moonshine.ts";

declare const self: Worker;

const files = { ...MODEL_FILES, encoder: MODEL_FILES.runtime };
const host = new TranscriberHost((message) => self.postMessage(message), files);
self.onmessage = (event: MessageEvent<ToTranscriber>) => host.receive(event.data);
