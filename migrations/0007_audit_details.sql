ALTER TABLE `audit_entries` ADD `details` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `acting_until` integer;