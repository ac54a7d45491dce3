/** Entry of the transcriber's thread, which a speech worker starts while somebody talks English to it. */

import { lowerThreadPriority } from "../../platform/threads/priority.ts";
import { TranscriberHost } from "../engine/embedded/recogniser/transcriber/host.ts";
import type { ToTranscriber } from "../engine/embedded/recogniser/transcriber/messages.ts";

declare const self: Worker;

// A late reading is none; late audio is a fault.
lowerThreadPriority();

const host = new TranscriberHost((message) => self.postMessage(message));
self.onmessage = (event: MessageEvent<ToTranscriber>) => host.receive(event.data);
