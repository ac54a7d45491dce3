/** Copying: a button, a secret shown once, and a request as a curl command. */
import { useState } from "react";
import { useText } from "../i18n/text.tsx";
import { Button, IconButton } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { useToasts } from "./toast.tsx";

function useCopy(): (text: string) => Promise<void> {
  const { t } = useText();
  const { showMessage, showError } = useToasts();
  return async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      showMessage(t("copy.done"));
    } catch (thrown) {
      showError(thrown);
    }
  };
}

export function CopyButton({ text }: { text: string }) {
  const { t } = useText();
  const copy = useCopy();
  return <IconButton icon="copy" label={t("copy.action")} onClick={() => void copy(text)} />;
}

export function Secret({ value }: { value: string }) {
  const { t } = useText();
  return (
    <div className="stack tight">
      <div className="secret">
        <code>{value}</code>
        <CopyButton text={value} />
      </div>
      <p className="note warn">{t("copy.once")}</p>
    </div>
  );
}

/** Lines to paste into the configuration file. */
export function ConfigLines({ text }: { text: string }) {
  return (
    <div className="secret">
      <code className="pre">{text}</code>
      <CopyButton text={text} />
    </div>
  );
}

export interface CurlRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path below /api/v1. */
  readonly path: string;
  /** May be a promise. */
  readonly body?: unknown;
}

/** Returns a command for a POSIX shell. */
export function curlOf({ method, path, body }: CurlRequest): string {
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}'${location.origin}/api/v1${path}'`,
    `-H "Authorization: Bearer $LINEVOICE_KEY"`,
  ];
  if (body !== undefined)
    lines.push(
      "-H 'Content-Type: application/json'",
      `-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`,
    );
  return lines.join(" \\\n  ");
}

/** `request` is called when the dialog opens, so it sees the form's current values. */
export function CurlButton({ request }: { request: () => CurlRequest }) {
  const { t } = useText();
  const copy = useCopy();
  const { showError } = useToasts();
  const [shown, setShown] = useState<string | null>(null);
  async function show() {
    const { body, ...rest } = request();
    setShown(curlOf({ ...rest, body: await body }));
  }
  return (
    <>
      <span className="wide-only">
        <Button variant="ghost" icon="terminal" onClick={() => void show().catch(showError)}>
          {t("curl.action")}
        </Button>
      </span>
      <Dialog
        wide
        title={t("curl.title")}
        lead={t("curl.lead")}
        open={shown !== null}
        onOpen={() => setShown(null)}
      >
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
        <pre className="code" tabIndex={0}>
          {shown}
        </pre>
        <div className="form-foot">
          <Button icon="copy" onClick={() => void copy(shown ?? "")}>
            {t("copy.action")}
          </Button>
        </div>
      </Dialog>
    </>
  );
}
