DROP INDEX `phone_numbers_number`;--> statement-breakpoint
DROP INDEX `phone_numbers_tenant`;--> statement-breakpoint
ALTER TABLE `phone_numbers` ADD `confirmed_at` integer;--> statement-breakpoint
CREATE UNIQUE INDEX `phone_numbers_confirmed` ON `phone_numbers` (`number_e164`) WHERE confirmed_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `phone_numbers_number` ON `phone_numbers` (`number_e164`);--> statement-breakpoint
CREATE UNIQUE INDEX `phone_numbers_tenant` ON `phone_numbers` (`tenant_id`,`number_e164`);--> statement-breakpoint
UPDATE `phone_numbers` SET `confirmed_at` = `called`.`at` FROM (
	SELECT `tenant_id`, `to_number`, min(`answered_at`) AS `at` FROM `calls`
	WHERE `direction` = 'inbound' AND `answered_at` IS NOT NULL GROUP BY `tenant_id`, `to_number`
) AS `called` WHERE `called`.`tenant_id` = `phone_numbers`.`tenant_id` AND `called`.`to_number` = `phone_numbers`.`number_e164`;