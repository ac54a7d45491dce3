ALTER TABLE `calls` ADD `recording_delete_at` integer;--> statement-breakpoint
CREATE INDEX `calls_recording_delete` ON `calls` (`recording_delete_at`) WHERE recording_delete_at IS NOT NULL;--> statement-breakpoint
ALTER TABLE `mails` ADD `recording_form` text DEFAULT 'attached' NOT NULL;--> statement-breakpoint
ALTER TABLE `mails` ADD `recording_words` text;