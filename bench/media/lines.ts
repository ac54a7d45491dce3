/** Reads the lines of a measured process, one at a time. */
export interface Lines {
  next(): Promise<string>;
}

export function linesOf(stream: ReadableStream<Uint8Array>, whose: string): Lines {
  const lines = split(stream);
  return {
    async next() {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${whose} ended early`);
      return value;
    },
  };
}

async function* split(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    const whole = text.split("\n");
    text = whole.pop() ?? "";
    yield* whole;
  }
}
