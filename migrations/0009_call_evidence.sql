CREATE TABLE `call_evidence` (
	`call_id` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`sip` text NOT NULL,
	`quality` text NOT NULL,
	FOREIGN KEY (`call_id`) REFERENCES `calls`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `call_peaks` (
	`call_id` integer PRIMARY KEY NOT NULL,
	`tenant_id` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`slots_per_second` real NOT NULL,
	`left_peaks` text NOT NULL,
	`right_peaks` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`call_id`) REFERENCES `calls`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `tenant_disclosures` (
	`tenant_id` integer NOT NULL,
	`language` text NOT NULL,
	`text` text NOT NULL,
	PRIMARY KEY(`tenant_id`, `language`),
	FOREIGN KEY (`tenant_id`) REFERENCES `tenants`(`id`) ON UPDATE no action ON DELETE no action
);
