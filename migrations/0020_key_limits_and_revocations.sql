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