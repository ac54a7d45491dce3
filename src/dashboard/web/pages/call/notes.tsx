/** Other records of a call: messages left, transfers tried, the AI disclosure. */
import { useText } from "../../i18n/text.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Card } from "../../ui/page.tsx";
import type { Call } from "./call-details.ts";

export function Notes({ call }: { call: Call }) {
  const { t, clock } = useText();
  const { messages, transfers, disclosure } = call;
  if (messages.length === 0 && transfers.length === 0 && !disclosure) return null;
  return (
    <Card title={t("call.notes")} flush>
      <ul className="list">
        {messages.map((message) => (
          <li key={message.at_ms}>
            <Icon name="mic" />
            <div className="grow">
              <p className="strong">
                {t("call.message")}{" "}
                {message.caller_name && t("call.message_from", { name: message.caller_name })}
              </p>
              <p>{message.text}</p>
              {message.callback && (
                <p className="soft">{t("call.callback", { when: message.callback })}</p>
              )}
            </div>
            <span className="muted nums">{clock(message.at_ms / 1000)}</span>
          </li>
        ))}
        {transfers.map((transfer) => (
          <li key={transfer.at_ms}>
            <Icon name="outbound" />
            <p className="grow">
              {t("call.transfer_note", { to: transfer.to })}:{" "}
              {t(`call.transfer.${transfer.outcome}`)}
              {transfer.sip_code !== null && <span className="muted"> ({transfer.sip_code})</span>}
            </p>
            <span className="muted nums">{clock(transfer.at_ms / 1000)}</span>
          </li>
        ))}
        {disclosure && (
          <li>
            <Icon name="check" />
            <div className="grow">
              <p className="strong">
                {t(disclosure.heard ? "call.disclosure_heard" : "call.disclosure_cut")}
              </p>
              <p className="soft">{disclosure.text}</p>
            </div>
            <span className="muted nums">{clock(disclosure.start_ms / 1000)}</span>
          </li>
        )}
      </ul>
    </Card>
  );
}
