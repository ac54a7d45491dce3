/** What really happened in a call, as the summary tells it. Bounded. */
const TOPICS_MAX = 50;

export class CallRecord {
  /** Questions of the knowledge that were answered, each once, in order. */
  readonly answered: string[] = [];
  readonly toolsDone: string[] = [];
  readonly toolsFailed: string[] = [];
  notUnderstood = 0;
  message: "none" | "offered" | "taken" = "none";
  transferred = false;
  /** The caller said something at all. */
  spoke = false;

  addAnswer(topic: string): void {
    add(this.answered, topic);
  }

  addTool(name: string, ok: boolean): void {
    add(ok ? this.toolsDone : this.toolsFailed, name.replace(/[_-]+/g, " "));
  }
}

function add(list: string[], item: string): void {
  if (!list.includes(item) && list.length < TOPICS_MAX) list.push(item);
}
