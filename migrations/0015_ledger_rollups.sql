CREATE TABLE `ledger_rollups` (
	`tenant_id` integer NOT NULL,
	`hour` integer NOT NULL,
	`kind` text NOT NULL,
	`transactions` integer NOT NULL,
	`wallet` integer NOT NULL,
	`payments` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `hour`, `kind`)
);
--> statement-breakpoint
CREATE INDEX `calls_recording_in_work` ON `calls` (`recording_status`) WHERE recording_status IN ('processing', 'recording');--> statement-breakpoint
CREATE INDEX `ledger_entries_transaction` ON `ledger_entries` (`transaction_id`);--> statement-breakpoint
CREATE INDEX `ledger_transactions_listed` ON `ledger_transactions` (`tenant_id`,`created_at`) WHERE kind <> 'charge';--> statement-breakpoint
INSERT INTO `ledger_rollups` (`tenant_id`, `hour`, `kind`, `transactions`, `wallet`, `payments`)
SELECT `tenant_id`, `created_at` / 3600000, `kind`, count(*), 0, 0 FROM `ledger_transactions` GROUP BY 1, 2, 3;
--> statement-breakpoint
INSERT INTO `ledger_rollups` (`tenant_id`, `hour`, `kind`, `transactions`, `wallet`, `payments`)
SELECT t.`tenant_id`, t.`created_at` / 3600000, t.`kind`, 0,
  sum(iif(e.`account` = 'wallet', e.`amount`, 0)), sum(iif(e.`account` = 'payments', e.`amount`, 0))
FROM `ledger_entries` e JOIN `ledger_transactions` t ON t.`id` = e.`transaction_id` WHERE true GROUP BY 1, 2, 3
ON CONFLICT (`tenant_id`, `hour`, `kind`) DO UPDATE SET
  `wallet` = `wallet` + excluded.`wallet`, `payments` = `payments` + excluded.`payments`;
--> statement-breakpoint
CREATE TRIGGER `ledger_rollup_transaction` AFTER INSERT ON `ledger_transactions` BEGIN
  INSERT INTO `ledger_rollups` (`tenant_id`, `hour`, `kind`, `transactions`, `wallet`, `payments`)
  VALUES (new.`tenant_id`, new.`created_at` / 3600000, new.`kind`, 1, 0, 0)
  ON CONFLICT (`tenant_id`, `hour`, `kind`) DO UPDATE SET `transactions` = `transactions` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `ledger_rollup_entry` AFTER INSERT ON `ledger_entries` WHEN new.`account` IN ('wallet', 'payments') BEGIN
  INSERT INTO `ledger_rollups` (`tenant_id`, `hour`, `kind`, `transactions`, `wallet`, `payments`)
  SELECT t.`tenant_id`, t.`created_at` / 3600000, t.`kind`, 0,
    iif(new.`account` = 'wallet', new.`amount`, 0), iif(new.`account` = 'payments', new.`amount`, 0)
  FROM `ledger_transactions` t WHERE t.`id` = new.`transaction_id`
  ON CONFLICT (`tenant_id`, `hour`, `kind`) DO UPDATE SET
    `wallet` = `wallet` + excluded.`wallet`, `payments` = `payments` + excluded.`payments`;
END;
