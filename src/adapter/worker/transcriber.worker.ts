/** Entry of a transcriber's thread: it turns the speech of English callers into text for its speech worker. */

import { lowerThreadPriority } from "../../platform/threads/priority.ts";
import { TranscriberHost } from "../engine/embedded/recogniser/host.ts";
import type { ToTranscriber } from "../engine/embedded/recogniser/messages.ts";

declare const self: Worker;

// A late text is answered late; late audio is a fault.
lowerThreadPriority();

const host = new TranscriberHost((message) => self.postMessage(message));
self.onmessage = (event: MessageEvent<ToTranscriber>) => host.receive(event.data);
