/** Facts of a call, for its summary. Bounded. */
const TOPICS_MAX = 50;

export class CallRecord {
  /** Answered questions of the knowledge, each once, in order. */
  readonly answered: string[] = [];
  readonly toolsDone: string[] = [];
  readonly toolsFailed: string[] = [];
  notUnderstood = 0;
  message: "none" | "offered" | "taken" = "none";
  transferred = false;
  /** True once the caller has said anything. */
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
