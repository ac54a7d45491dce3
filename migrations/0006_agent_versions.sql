CREATE TABLE `agent_drafts` (
	`agent_id` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`base_version` integer NOT NULL,
	`author` text NOT NULL,
	`updated_at` integer NOT NULL,
	`content` text NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `agent_drafts_tenant` ON `agent_drafts` (`tenant_id`);--> statement-breakpoint
CREATE TABLE `agent_splits` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`agent_id` integer NOT NULL,
	`version_a` integer NOT NULL,
	`version_b` integer NOT NULL,
	`percent_b` integer NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `agent_splits_agent` ON `agent_splits` (`agent_id`,`started_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `agent_splits_open` ON `agent_splits` (`agent_id`) WHERE ended_at IS NULL;--> statement-breakpoint
CREATE TABLE `agent_version_files` (
	`version_id` integer NOT NULL,
	`sha256` text NOT NULL,
	PRIMARY KEY(`version_id`, `sha256`),
	FOREIGN KEY (`version_id`) REFERENCES `agent_versions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `agent_version_files_text` ON `agent_version_files` (`sha256`);--> statement-breakpoint
CREATE TABLE `agent_versions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`agent_id` integer NOT NULL,
	`number` integer NOT NULL,
	`kind` text NOT NULL,
	`author` text NOT NULL,
	`restored_from` integer,
	`created_at` integer NOT NULL,
	`content` text NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_versions_number` ON `agent_versions` (`agent_id`,`number`);--> statement-breakpoint
CREATE TABLE `version_texts` (
	`tenant_id` integer NOT NULL,
	`sha256` text NOT NULL,
	`content` text NOT NULL,
	PRIMARY KEY(`tenant_id`, `sha256`),
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
ALTER TABLE `agents` ADD `version` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `agents_unversioned` ON `agents` (`tenant_id`) WHERE version = 0;--> statement-breakpoint
ALTER TABLE `files` ADD `content_sha256` text;--> statement-breakpoint
CREATE INDEX `files_unversioned` ON `files` (`tenant_id`) WHERE content_sha256 IS NULL;--> statement-breakpoint
ALTER TABLE `calls` ADD `agent_version` integer;