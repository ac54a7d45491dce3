CREATE TABLE `birthday_calls` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`contact_id` integer NOT NULL,
	`year` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`call_uuid` text,
	`state` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `birthday_calls_once` ON `birthday_calls` (`contact_id`,`year`);--> statement-breakpoint
CREATE INDEX `birthday_calls_call` ON `birthday_calls` (`call_uuid`);--> statement-breakpoint
CREATE INDEX `birthday_calls_state` ON `birthday_calls` (`state`,`updated_at`);--> statement-breakpoint
CREATE TABLE `call_memories` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`number_e164` text NOT NULL,
	`call_uuid` text NOT NULL,
	`reason` text NOT NULL,
	`outcome` text NOT NULL,
	`promise` text DEFAULT '' NOT NULL,
	`sensitive` integer DEFAULT false NOT NULL,
	`attempted_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `call_memories_call` ON `call_memories` (`call_uuid`);--> statement-breakpoint
CREATE INDEX `call_memories_number` ON `call_memories` (`tenant_id`,`number_e164`,`attempted_at`);--> statement-breakpoint
CREATE INDEX `call_memories_age` ON `call_memories` (`attempted_at`);--> statement-breakpoint
CREATE TABLE `campaign_targets` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`campaign_id` integer NOT NULL,
	`number_e164` text NOT NULL,
	`variables` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`not_before` integer NOT NULL,
	`call_uuid` text,
	`outcome` text,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`campaign_id`) REFERENCES `campaigns`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `campaign_targets_once` ON `campaign_targets` (`campaign_id`,`number_e164`);--> statement-breakpoint
CREATE INDEX `campaign_targets_due` ON `campaign_targets` (`campaign_id`,`status`,`not_before`);--> statement-breakpoint
CREATE INDEX `campaign_targets_call` ON `campaign_targets` (`call_uuid`);--> statement-breakpoint
CREATE TABLE `campaigns` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`name` text NOT NULL,
	`agent_id` integer,
	`from_number` text,
	`status` text NOT NULL,
	`calling_from` integer NOT NULL,
	`calling_to` integer NOT NULL,
	`concurrency_max` integer NOT NULL,
	`attempts_max` integer NOT NULL,
	`retry_after_min` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `campaigns_status` ON `campaigns` (`status`,`id`);--> statement-breakpoint
CREATE INDEX `campaigns_tenant` ON `campaigns` (`tenant_id`);--> statement-breakpoint
CREATE TABLE `contacts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`number_e164` text NOT NULL,
	`first_name` text DEFAULT '' NOT NULL,
	`last_name` text DEFAULT '' NOT NULL,
	`vocative` text,
	`birthday` text,
	`language` text,
	`notes` text DEFAULT '' NOT NULL,
	`consent` integer DEFAULT false NOT NULL,
	`do_not_call` integer DEFAULT false NOT NULL,
	`pin_hash` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `contacts_number` ON `contacts` (`tenant_id`,`number_e164`);--> statement-breakpoint
CREATE INDEX `contacts_name` ON `contacts` (`tenant_id`,`last_name`,`first_name`,`id`);--> statement-breakpoint
CREATE INDEX `contacts_birthday` ON `contacts` (`tenant_id`,`birthday`);--> statement-breakpoint
CREATE TABLE `crm_cache` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`number_e164` text NOT NULL,
	`answer` text NOT NULL,
	`fetched_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `crm_cache_number` ON `crm_cache` (`tenant_id`,`number_e164`);--> statement-breakpoint
CREATE INDEX `crm_cache_age` ON `crm_cache` (`fetched_at`);--> statement-breakpoint
CREATE TABLE `crm_posts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`call_uuid` text NOT NULL,
	`body` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer NOT NULL,
	`leased_by` text,
	`leased_until` integer,
	`last_http_status` integer,
	`last_error` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `crm_posts_call` ON `crm_posts` (`call_uuid`);--> statement-breakpoint
CREATE INDEX `crm_posts_due` ON `crm_posts` (`status`,`next_attempt_at`);--> statement-breakpoint
CREATE INDEX `crm_posts_tenant` ON `crm_posts` (`tenant_id`,`id`);--> statement-breakpoint
CREATE TABLE `feature_settings` (
	`tenant_id` integer PRIMARY KEY NOT NULL,
	`calling_from` integer DEFAULT 600 NOT NULL,
	`calling_to` integer DEFAULT 1080 NOT NULL,
	`holidays` text,
	`birthday_agent_id` integer,
	`crm_url` text,
	`crm_secret_sealed` text,
	`crm_mapping` text,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`birthday_agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE TABLE `pin_attempts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tenant_id` integer NOT NULL,
	`number_e164` text NOT NULL,
	`call_uuid` text NOT NULL,
	`ok` integer NOT NULL,
	`attempted_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `pin_attempts_number` ON `pin_attempts` (`tenant_id`,`number_e164`,`attempted_at`);--> statement-breakpoint
ALTER TABLE `tools` ADD `caller_level` integer DEFAULT 0 NOT NULL;