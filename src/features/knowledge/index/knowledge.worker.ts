/** Entry of the knowledge worker: the thread that indexes and searches knowledge files. */
import { systemClock } from "../../../core/clock.ts";
import { dispatch } from "../../../core/thread-messages.ts";
import { KnowledgeHost } from "./knowledge-host.ts";
import type { FromKnowledgeWorker, KnowledgeCommands, ToKnowledgeWorker } from "./messages.ts";

declare const self: Worker;

const host = new KnowledgeHost({
  clock: systemClock,
  post: (message: FromKnowledgeWorker) => self.postMessage(message),
});

self.onmessage = ({ data: message }: MessageEvent<ToKnowledgeWorker>) =>
  dispatch<KnowledgeCommands>(host, message);
