/** Reads the parts of an .eml file that the demo needs: headers, text and the attachment. */
import PostalMime from "postal-mime";

export interface MailFile {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly attachment: { readonly filename: string; readonly content: Buffer } | null;
}

export async function readMail(eml: string): Promise<MailFile> {
  const mail = await PostalMime.parse(eml, { attachmentEncoding: "arraybuffer" });
  const [attached] = mail.attachments;
  return {
    to: mail.to?.map(({ address }) => address).join(", ") ?? "",
    subject: mail.subject ?? "",
    text: mail.text ?? "",
    attachment: attached
      ? { filename: attached.filename ?? "", content: contentOf(attached.content) }
      : null,
  };
}

const contentOf = (content: ArrayBuffer | Uint8Array | string): Buffer =>
  typeof content === "string" ? Buffer.from(content) : Buffer.from(new Uint8Array(content));
