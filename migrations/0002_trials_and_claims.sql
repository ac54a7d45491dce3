CREATE TABLE `trial_days` (
	`tenant_id` integer NOT NULL,
	`day` text NOT NULL,
	`seconds` integer NOT NULL,
	`bought_seconds` integer NOT NULL,
	`charged` integer NOT NULL,
	`llm_input_tokens` integer NOT NULL,
	`llm_output_tokens` integer NOT NULL,
	`embedding_tokens` integer NOT NULL,
	`tts_characters` integer NOT NULL,
	`stt_seconds` real NOT NULL,
	`cost_of_goods` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `day`),
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
ALTER TABLE `calls` ADD `sent_packets_lost` integer;
--> statement-breakpoint
ALTER TABLE `calls` ADD `sent_jitter_ms` real;
--> statement-breakpoint
ALTER TABLE `calls` ADD `round_trip_ms` integer;
--> statement-breakpoint
ALTER TABLE `calls` ADD `srtp` text;
--> statement-breakpoint
DROP INDEX `phone_numbers_number`;
--> statement-breakpoint
DROP INDEX `phone_numbers_tenant`;
--> statement-breakpoint
ALTER TABLE `phone_numbers` ADD `confirmed_at` integer;
--> statement-breakpoint
CREATE UNIQUE INDEX `phone_numbers_confirmed` ON `phone_numbers` (`number_e164`) WHERE confirmed_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `phone_numbers_number` ON `phone_numbers` (`number_e164`);
--> statement-breakpoint
CREATE UNIQUE INDEX `phone_numbers_tenant` ON `phone_numbers` (`tenant_id`,`number_e164`);
--> statement-breakpoint
UPDATE `phone_numbers` SET `confirmed_at` = `called`.`at` FROM (
	SELECT `tenant_id`, `to_number`, min(`answered_at`) AS `at` FROM `calls`
	WHERE `direction` = 'inbound' AND `answered_at` IS NOT NULL GROUP BY `tenant_id`, `to_number`
) AS `called` WHERE `called`.`tenant_id` = `phone_numbers`.`tenant_id` AND `called`.`to_number` = `phone_numbers`.`number_e164`;
--> statement-breakpoint
ALTER TABLE `plan_usage` ADD `seconds_included` integer;
--> statement-breakpoint
ALTER TABLE `agent_scenarios` ADD `call_uuid` text;
--> statement-breakpoint
CREATE INDEX `agent_scenarios_call` ON `agent_scenarios` (`call_uuid`) WHERE call_uuid IS NOT NULL;
--> statement-breakpoint
-- Unreleased versions wrote through these.
DROP VIEW IF EXISTS `settlements`;
--> statement-breakpoint
DROP VIEW IF EXISTS `reported_events`;
--> statement-breakpoint
DROP VIEW IF EXISTS `event_reports`;
--> statement-breakpoint
DROP VIEW IF EXISTS `encoded_recordings`;
