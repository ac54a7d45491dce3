DROP INDEX `files_tenant`;--> statement-breakpoint
CREATE INDEX `files_listed` ON `files` (`tenant_id`,`id`,`filename`,`format`,`size_bytes`,`created_at`,`updated_at`,`content_sha256`);