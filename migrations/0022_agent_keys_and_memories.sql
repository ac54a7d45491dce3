ALTER TABLE `agents` ADD `send_digits_inbound` integer DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE `call_memories` SET `outcome` = 'We spoke.' WHERE `outcome` LIKE 'We spoke: %';