CREATE INDEX `schedules_fired` ON `schedules` (`tenant_id`,`fired_at`) WHERE fired_at IS NOT NULL;
--> statement-breakpoint
CREATE TABLE `revocation_journals` (
	`journal` text PRIMARY KEY NOT NULL,
	`position` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `sessions` ADD `confirmed_at` integer;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `scopes` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `expires_at` integer;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `networks` text;--> statement-breakpoint
ALTER TABLE `tenants` ADD `requires_second_factor` integer DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE `schedules` ADD `to_country` text;--> statement-breakpoint
CREATE INDEX `schedules_number` ON `schedules` (`tenant_id`,`to_number`,`fired_at`) WHERE fired_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `schedules_abroad` ON `schedules` (`tenant_id`,`to_country`,`fired_at`) WHERE to_country IS NOT NULL;--> statement-breakpoint
ALTER TABLE `tenants` ADD `short_numbers` text;--> statement-breakpoint
ALTER TABLE `tenants` ADD `burst_told_at` integer;
--> statement-breakpoint
ALTER TABLE `agents` ADD `send_digits_inbound` integer DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE `call_memories` SET `outcome` = 'We spoke.' WHERE `outcome` LIKE 'We spoke: %';
--> statement-breakpoint
ALTER TABLE `calls` ADD `recording_delete_at` integer;--> statement-breakpoint
CREATE INDEX `calls_recording_delete` ON `calls` (`recording_delete_at`) WHERE recording_delete_at IS NOT NULL;--> statement-breakpoint
ALTER TABLE `mails` ADD `recording_form` text DEFAULT 'attached' NOT NULL;--> statement-breakpoint
ALTER TABLE `mails` ADD `recording_words` text;
--> statement-breakpoint
CREATE TABLE `call_notices` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`kind` text NOT NULL,
	`subject` text NOT NULL,
	`times` integer NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `call_notices_subject` ON `call_notices` (`tenant_id`,`kind`,`subject`);--> statement-breakpoint
ALTER TABLE `trunks` ADD `extra_networks` text;
--> statement-breakpoint
ALTER TABLE `trunks` ADD `set_by_operator` integer DEFAULT true NOT NULL;
