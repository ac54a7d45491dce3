/** Lines of CSV as an answer that is made while it is sent: bounded memory, whatever its length. */
const CHUNK_CHARACTERS = 32 * 1024;

/** Takes lines without their ends. A reader that goes away stops the generator. */
export function csvResponse(lines: AsyncGenerator<string>, filename: string): Response {
  const encoder = new TextEncoder();

  async function chunk(): Promise<string> {
    let text = "";
    while (text.length < CHUNK_CHARACTERS) {
      const { done, value } = await lines.next();
      if (done) break;
      text += `${value}\r\n`;
    }
    return text;
  }

  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const text = await chunk();
      if (text === "") controller.close();
      else controller.enqueue(encoder.encode(text));
    },
    async cancel() {
      await lines.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": `attachment; filename="${filename}"`,
    },
  });
}
